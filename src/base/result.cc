#include "base/result.h"

namespace partita {

std::string_view name_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalidInput: return "InvalidInput";
    case ErrorCode::kInvalidQuery: return "InvalidQuery";
    case ErrorCode::kUnauthorized: return "Unauthorized";
    case ErrorCode::kForbidden: return "Forbidden";
    case ErrorCode::kAuthorizationExpired: return "AuthorizationExpired";
    case ErrorCode::kNotFound: return "NotFound";
    case ErrorCode::kOwnerNotFound: return "OwnerNotFound";
    case ErrorCode::kMethodNotAllowed: return "MethodNotAllowed";
    case ErrorCode::kAlreadyExists: return "AlreadyExists";
    case ErrorCode::kPreconditionFailed: return "PreconditionFailed";
    case ErrorCode::kTooLarge: return "TooLarge";
    case ErrorCode::kPartitionKeyMismatch: return "PartitionKeyMismatch";
    case ErrorCode::kCrossPartitionRequired: return "CrossPartitionRequired";
    case ErrorCode::kContainerRecreated: return "ContainerRecreated";
    case ErrorCode::kPartitionGone: return "PartitionGone";
    case ErrorCode::kSessionNotAvailable: return "SessionNotAvailable";
    case ErrorCode::kThrottled: return "Throttled";
    case ErrorCode::kLogicalPartitionFull: return "LogicalPartitionFull";
    case ErrorCode::kTimeout: return "Timeout";
    case ErrorCode::kWouldWait: return "WouldWait";
    case ErrorCode::kUnavailable: return "Unavailable";
    case ErrorCode::kStorageFailure: return "StorageFailure";
    case ErrorCode::kCorruption: return "Corruption";
    case ErrorCode::kInternal: return "Internal";
  }
  return "Unknown";
}

}  // namespace partita
