#include "engine/time_to_live.h"

#include "document/json/json.h"
#include "document/system_properties.h"

#include <fmt/format.h>

namespace partita {
namespace {

std::optional<int64_t> seconds_of(const Value& ttl) {
  const std::optional<int64_t> seconds = ttl.is_number() ? ttl.integer() : std::nullopt;
  const bool is_good = seconds && (*seconds == kNeverExpires || (*seconds > 0 && *seconds <= kTimeToLiveSecondsMax));
  return is_good ? seconds : std::nullopt;
}

int64_t written_seconds(const Value& document) {
  const Value written = document.find(system_property::kWrittenSeconds);
  return written.is_number() ? written.integer().value_or(0) : 0;
}

}  // namespace

Result<TimeToLive> TimeToLive::parse(const Value& default_ttl) {
  if (default_ttl.is_undefined()) return TimeToLive();
  const std::optional<int64_t> seconds = seconds_of(default_ttl);
  if (seconds) return TimeToLive(*seconds);
  return fail(ErrorCode::kInvalidInput,
              fmt::format("'defaultTtl' must be -1 or a whole number of seconds from 1 to {}.", kTimeToLiveSecondsMax));
}

std::optional<int64_t> TimeToLive::expiry_of(const Value& document) const {
  if (!default_seconds_) return std::nullopt;
  const int64_t seconds = seconds_of(document.find("ttl")).value_or(*default_seconds_);
  if (seconds == kNeverExpires) return std::nullopt;
  return written_seconds(document) + seconds;
}

Status check_time_to_live(const Value& document) {
  const Value ttl = document.find("ttl");
  if (ttl.is_undefined() || seconds_of(ttl)) return {};
  return fail(ErrorCode::kInvalidInput,
              fmt::format("A ttl is -1 or a whole number of seconds from 1 to {}, which this one is not: {}",
                          kTimeToLiveSecondsMax, to_json(ttl)),
              ErrorDetail::kTimeToLive);
}

std::optional<int64_t> own_expiry_of(const Value& document) {
  const std::optional<int64_t> seconds = seconds_of(document.find("ttl"));
  if (!seconds || *seconds == kNeverExpires) return std::nullopt;
  return written_seconds(document) + *seconds;
}

}  // namespace partita
