#pragma once

#include "base/result.h"
#include "document/value.h"

#include <cstdint>
#include <optional>

namespace partita {

inline constexpr int64_t kNeverExpires = -1;
inline constexpr int64_t kTimeToLiveSecondsMax = INT32_MAX;

// TimeToLive: for how long a container keeps its documents after their last write. A document may say so itself, in its member
// ttl: -1 for ever, or a number of seconds. A plain value.
class TimeToLive {
 public:
  TimeToLive() = default;  // off: nothing expires, whatever documents say
  // On: for documents that say nothing, kNeverExpires or seconds.
  explicit TimeToLive(int64_t default_seconds) : default_seconds_(default_seconds) {}

  // From a container's member defaultTtl; undefined is off. kInvalidInput when it is not -1 or a number of seconds.
  static Result<TimeToLive> parse(const Value& default_ttl);

  bool is_on() const { return default_seconds_.has_value(); }
  std::optional<int64_t> default_seconds() const { return default_seconds_; }
  // The first second in which the document is not there any more; nothing when it stays.
  std::optional<int64_t> expiry_of(const Value& document) const;

  bool operator==(const TimeToLive&) const = default;

 private:
  std::optional<int64_t> default_seconds_;
};

// kInvalidInput when the document's ttl is none, whether or not its container lets documents expire.
Status check_time_to_live(const Value& document);

// The first second in which a document is gone that gives itself a number of seconds, whatever its container says;
// nothing for all others.
std::optional<int64_t> own_expiry_of(const Value& document);

}  // namespace partita
