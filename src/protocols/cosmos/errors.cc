#include "protocols/cosmos/errors.h"

#include "document/json/json.h"
#include "document/json/utf8.h"
#include "engine/time_to_live.h"
#include "partition/charge/throttling.h"

#include <fmt/format.h>

#include <algorithm>

namespace partita::cosmos {
namespace {

constexpr int kScriptCompileError = 0xFFFF;
constexpr int kPatchCondition = 1110;
constexpr int kBatchAnswerTooLarge = 3402;

// The message with the service's words instead of its first clause.
std::string begun_with(std::string_view words, std::string_view message) {
  return fmt::format("{}{}", words, message.substr(std::min(message.find_first_of(":."), message.size())));
}

std::string_view behind_colon(std::string_view message) {
  constexpr std::string_view kColon = ": ";
  const size_t colon = message.find(kColon);
  return colon == std::string_view::npos ? std::string_view() : message.substr(colon + kColon.size());
}

}  // namespace

WireError wire_error(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalidInput: return {400, 0, "BadRequest"};
    case ErrorCode::kInvalidQuery: return {400, 0, "BadRequest"};
    case ErrorCode::kUnauthorized: return {401, 0, "Unauthorized"};
    case ErrorCode::kForbidden: return {403, 0, "Forbidden"};
    case ErrorCode::kAuthorizationExpired: return {403, 0, "Forbidden"};
    case ErrorCode::kNotFound: return {404, 0, "NotFound"};
    case ErrorCode::kOwnerNotFound: return {404, 1003, "NotFound"};
    case ErrorCode::kMethodNotAllowed: return {405, 0, "MethodNotAllowed"};
    case ErrorCode::kAlreadyExists: return {409, 0, "Conflict"};
    case ErrorCode::kPreconditionFailed: return {412, 0, "PreconditionFailed"};
    case ErrorCode::kTooLarge: return {413, 0, "RequestEntityTooLarge"};
    case ErrorCode::kPartitionKeyMismatch: return {400, 1001, "BadRequest"};
    case ErrorCode::kCrossPartitionRequired: return {400, 1004, "BadRequest"};
    case ErrorCode::kContainerRecreated: return {400, 1024, "BadRequest"};
    case ErrorCode::kPartitionGone: return {410, 1002, "Gone"};
    case ErrorCode::kSessionNotAvailable: return {404, 1002, "NotFound"};
    case ErrorCode::kThrottled: return {429, 3200, "429"};
    case ErrorCode::kLogicalPartitionFull: return {403, 1014, "Forbidden"};
    case ErrorCode::kTimeout: return {408, 0, "RequestTimeout"};
    case ErrorCode::kWouldWait:  // begun anew where that may wait, before anybody is told
    case ErrorCode::kUnavailable: return {503, 0, "ServiceUnavailable"};
    case ErrorCode::kStorageFailure: return {503, 0, "ServiceUnavailable"};
    case ErrorCode::kCorruption: return {500, 0, "InternalServerError"};
    case ErrorCode::kInternal: return {500, 0, "InternalServerError"};
  }
  return {500, 0, "InternalServerError"};
}

WireError wire_error(const Error& error) {
  WireError wire = wire_error(error.code);
  switch (error.detail) {
    case ErrorDetail::kPatchCondition: wire.sub_status = kPatchCondition; break;
    case ErrorDetail::kAnswerTooLarge: wire.sub_status = kBatchAnswerTooLarge; break;
    case ErrorDetail::kNoFunction: wire.sub_status = kScriptCompileError; break;
    case ErrorDetail::kThrown: wire.sub_status = static_cast<int>(error.number); break;
    default: break;
  }
  return wire;
}

std::string service_message(const Error& error) {
  const std::string_view message = error.message;
  switch (error.detail) {
    case ErrorDetail::kPatchCondition:
      return "One of the specified pre-condition is not met: the document does not fulfil the condition of the patch.";
    case ErrorDetail::kOtherVersion:
      return "Operation cannot be performed because one of the specified precondition is not met: the document has changed since "
             "the "
             "etag in If-Match.";
    case ErrorDetail::kOtherPatchVersion:
      return "One of the specified pre-condition is not met: the document has changed since the etag in If-Match.";
    case ErrorDetail::kRequestTooLarge: return begun_with("Request size is too large", message);
    case ErrorDetail::kNoId: return "The input content is invalid because the required properties - 'id; ' - are missing";
    case ErrorDetail::kTimeToLive:
      return fmt::format(
          "The input ttl '{}' is invalid. Ensure to provide a nonzero positive integer, less than or equal to '{}', or "
          "-1 for never expire.",
          behind_colon(message), kTimeToLiveSecondsMax);
    case ErrorDetail::kNoKey: return "PartitionKey value must be supplied for this operation.";
    case ErrorDetail::kKeyLength:
      return begun_with(
          "Partition key provided either doesn't correspond to definition in the collection or doesn't match partition "
          "key field values specified in the document",
          message);
    case ErrorDetail::kFixedKey: return "Document collection partition key cannot be changed.";
    case ErrorDetail::kOtherKey:
      return begun_with("PartitionKey extracted from document doesn't match the one specified in the header", message);
    case ErrorDetail::kNoItem: return "Resource Not Found.";
    case ErrorDetail::kItemExists: return "Entity with the specified id already exists in the system.";
    case ErrorDetail::kResourceExists: return "Resource with specified id or name already exists.";
    case ErrorDetail::kUniqueValues: return "Unique index constraint violation.";
    case ErrorDetail::kBehindSession: return begun_with("The read session is not available for the input session token", message);
    case ErrorDetail::kOverBudget:
      return "Request rate is large. More Request Units may be needed, so no changes were made. Please retry this request later.";
    case ErrorDetail::kNone:
    case ErrorDetail::kAnswerTooLarge:
    case ErrorDetail::kNoFunction:
    case ErrorDetail::kThrown:
    case ErrorDetail::kRetryAfter: break;
  }
  if (error.code == ErrorCode::kLogicalPartitionFull) return begun_with("Partition key reached maximum size", message);
  return error.message;
}

std::string wire_message(const Error& error) {
  const std::string message = service_message(error);
  std::string text = message.size() <= kErrorMessageBytesMax
                         ? message
                         : fmt::format("{}... ({} bytes in all)", utf8_prefix(message, kErrorMessageBytesMax), message.size());
  if (error.detail == ErrorDetail::kNoItem) text += " Learn more: https://aka.ms/cosmosdb-tsg-not-found";
  if (error.code == ErrorCode::kPartitionKeyMismatch) text += " Learn more: https://aka.ms/CosmosDB/sql/errors/wrong-pk-value";
  if (error.detail == ErrorDetail::kOverBudget) {
    text += fmt::format(" Learn more: http://aka.ms/cosmosdb-error-429 Retry after ms: {}", retry_after_ms(error).value_or(0));
  }
  return text;
}

void append_error_body(std::string& out, const Error& error, std::string_view activity_id, std::string_view additional) {
  out += "{\"code\":";
  append_json_string(out, wire_error(error).code);
  out += ",\"message\":";
  append_json_string(out, fmt::format("{}\r\nActivityId: {}, Partita", wire_message(error), activity_id));
  if (!additional.empty()) {
    out += ",\"additionalErrorInfo\":";
    append_json_string(out, additional);
  }
  out += '}';
}

}  // namespace partita::cosmos
