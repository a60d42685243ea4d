#include "client/failure.h"

#include "document/json/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace partita::client {
namespace {

constexpr size_t kShownBodyBytes = 300;
constexpr int kSplitOrMerged = 1002;
constexpr int kOwnerMissing = 1003;
constexpr int kContainerGone = 1024;
constexpr int kWrongPartitionKey = 1001;

std::string text_at(const Value& value, std::string_view key) {
  const Value found = value.find(key);
  return found.is_string() ? std::string(found.string()) : std::string();
}

size_t position_at(const Value& location, std::string_view key) {
  const Value found = location.find(key);
  return found.is_number() ? static_cast<size_t>(std::clamp<int64_t>(found.integer().value_or(0), 0, UINT32_MAX)) : 0;
}

// The JSON object that many messages carry: `Message: {"errors":[...]}` and more text behind it.
std::optional<std::string> object_in(std::string_view message) {
  const size_t start = message.find('{');
  const size_t end = message.rfind('}');
  if (start == std::string_view::npos || end == std::string_view::npos || end < start) return std::nullopt;
  Result<std::string> stored = stored_from_json(message.substr(start, end - start + 1));
  if (!stored) return std::nullopt;
  return *std::move(stored);
}

void read_faults(const Value& errors, Failure& failure) {
  std::string said;
  for (size_t index = 0; index < errors.size(); ++index) {
    const Value error = errors.element(index);
    if (error.is_string()) {
      said += fmt::format("{}{}", said.empty() ? "" : "; ", error.string());
    } else if (error.is_object()) {
      const Value location = error.find("location");
      QueryFault fault{.code = text_at(error, "code"), .message = text_at(error, "message")};
      fault.start = position_at(location, "start");
      fault.end = std::max(fault.start, position_at(location, "end"));
      said += fmt::format("{}{}", said.empty() ? "" : "; ", fault.message);
      failure.faults.push_back(std::move(fault));
    }
  }
  if (!said.empty()) failure.message = std::move(said);
}

// Takes the reason out of what wraps it.
void unwrap(Failure& failure) {
  const std::optional<std::string> wrapped = object_in(failure.message);
  if (!wrapped) return;
  const Value object = Value::view(*wrapped);
  for (const std::string_view key : {"errors", "Errors"}) {
    if (const Value errors = object.find(key); errors.is_array()) return read_faults(errors, failure);
  }
}

}  // namespace

ErrorCode code_of(int status, int sub_status) {
  switch (status) {
    case 400:
      if (sub_status == kWrongPartitionKey) return ErrorCode::kPartitionKeyMismatch;
      return sub_status == kContainerGone ? ErrorCode::kContainerRecreated : ErrorCode::kInvalidInput;
    case 401: return ErrorCode::kUnauthorized;
    case 403: return ErrorCode::kForbidden;
    case 404: return sub_status == kOwnerMissing ? ErrorCode::kOwnerNotFound : ErrorCode::kNotFound;
    case 405: return ErrorCode::kMethodNotAllowed;
    case 408: return ErrorCode::kTimeout;
    case 409: return ErrorCode::kAlreadyExists;
    case 410: return sub_status == kSplitOrMerged ? ErrorCode::kPartitionGone : ErrorCode::kUnavailable;
    case 412: return ErrorCode::kPreconditionFailed;
    case 413: return ErrorCode::kTooLarge;
    case 429: return ErrorCode::kThrottled;
    case 449:
    case 503: return ErrorCode::kUnavailable;
    default: return status >= 500 ? ErrorCode::kInternal : ErrorCode::kInvalidInput;
  }
}

Failure failure_of(const Response& response) {
  Failure failure(Error{code_of(response.status(), response.sub_status()), "", ErrorDetail::kNone, 0, response.charge()});
  failure.status = response.status();
  failure.sub_status = response.sub_status();
  failure.activity_id = response.activity_id();
  if (response.status() == 429) {
    failure.detail = ErrorDetail::kRetryAfter;
    failure.number = response.retry_after_ms();
  }
  const Result<std::string> stored = stored_from_json(response.body());
  if (stored && Value::view(*stored).is_object()) {
    failure.name = text_at(Value::view(*stored), "code");
    failure.message = text_at(Value::view(*stored), "message");
    unwrap(failure);
  }
  if (failure.message.empty()) {
    failure.message = fmt::format("the server answered {} {}", response.status(), response.body().substr(0, kShownBodyBytes));
  }
  if (!failure.faults.empty()) failure.code = ErrorCode::kInvalidQuery;
  return failure;
}

}  // namespace partita::client
