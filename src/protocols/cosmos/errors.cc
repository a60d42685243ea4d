#include "protocols/cosmos/errors.h"

#include "document/json/json.h"
#include "document/json/utf8.h"
#include "gateway/items/item_errors.h"
#include "partition/charge/throttling.h"

#include <fmt/format.h>

namespace partita::cosmos {
namespace {

constexpr int kScriptCompileError = 0xFFFF;
constexpr int kPatchCondition = 1110;
constexpr int kBatchAnswerTooLarge = 3402;

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
    case ErrorDetail::kNone:
    case ErrorDetail::kRetryAfter: break;
    case ErrorDetail::kPatchCondition: wire.sub_status = kPatchCondition; break;
    case ErrorDetail::kAnswerTooLarge: wire.sub_status = kBatchAnswerTooLarge; break;
    case ErrorDetail::kNoFunction: wire.sub_status = kScriptCompileError; break;
    case ErrorDetail::kThrown: wire.sub_status = static_cast<int>(error.number); break;
  }
  return wire;
}

std::string wire_message(const Error& error) {
  const std::string_view message = error.message;
  std::string text = message.size() <= kErrorMessageBytesMax
                         ? std::string(message)
                         : fmt::format("{}... ({} bytes in all)", utf8_prefix(message, kErrorMessageBytesMax), message.size());
  if (is_item_not_found(error)) text += " Learn more: https://aka.ms/cosmosdb-tsg-not-found";
  if (error.code == ErrorCode::kPartitionKeyMismatch) text += " Learn more: https://aka.ms/CosmosDB/sql/errors/wrong-pk-value";
  if (is_over_budget(error)) {
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
