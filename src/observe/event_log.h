#pragma once

#include "base/clock.h"
#include "base/event.h"
#include "observe/metrics.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace partita::observe {

// Events of one kind that are logged in a minute; all are counted.
inline constexpr uint64_t kEventsLoggedPerMinute = 20;
// Of each text of an event.
inline constexpr size_t kEventTextBytesMax = 1'000;

// The text in one line of visible ASCII, whatever it contains: other bytes become \xNN, a backslash becomes two. Cut if it is
// long.
std::string escaped_for_log(std::string_view text);

// EventLog: events of all rooms as lines of the log, one each, and as numbers for Prometheus.
//
// Thread-safe. Of a kind that comes often only some are logged; the first one of a later minute says how many were not.
class EventLog final : public EventSink {
 public:
  using Write = std::function<void(EventSeverity, const std::string& line)>;

  // To the log.
  explicit EventLog(const Clock& clock);
  EventLog(const Clock& clock, Write write) : clock_(clock), write_(std::move(write)) {}

  void report(const Event& event) override;
  // How many there were so far, by room and kind.
  Metrics::Samples counts() const;

 private:
  struct Kind {
    uint64_t count = 0;
    int64_t minute = 0;  // of the clock's steady time, the one that is counted
    uint64_t in_minute = 0;
    uint64_t unlogged = 0;  // since the last one that was logged
  };
  // How many were left out since the last one, or that this one is, too (nothing).
  std::optional<uint64_t> admit(const Event& event);

  const Clock& clock_;
  const Write write_;
  mutable std::mutex mutex_;
  std::map<std::pair<std::string, std::string>, Kind> kinds_;  // by room and kind; guarded by mutex_
};

}  // namespace partita::observe
