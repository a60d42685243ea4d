#pragma once

#include "tools/bench/report/report.h"
#include "tools/top/live_screen.h"

#include <chrono>
#include <optional>
#include <string_view>

namespace partita::tools::bench {

// View: what somebody sees while a run is under way: one screen on a terminal, else a line for each second. Not thread-safe.
// REQUIRES: SIGINT and SIGTERM are blocked in all threads.
class View {
 public:
  // `out_is_taken`: standard output is for something else.
  explicit View(bool out_is_taken);

  // In a terminal, everything; else the latest part of the timeline, if it is new.
  void show(const Report& report, std::string_view phase);
  // A sentence about what begins.
  void say(std::string_view sentence);
  // Until the time is over, or somebody wants the run to end: then true, from then on.
  bool wait(std::chrono::milliseconds time);
  bool is_interrupted() const { return is_interrupted_; }
  // The terminal is as it was.
  void close() { screen_.reset(); }

 private:
  std::optional<LiveScreen> screen_;
  bool out_is_taken_;
  bool is_interrupted_ = false;
  double shown_until_ = 0;
};

}  // namespace partita::tools::bench
