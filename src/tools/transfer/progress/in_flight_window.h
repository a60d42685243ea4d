#pragma once

#include <chrono>
#include <cstddef>

namespace partita::tools::transfer {

// InFlightWindow: how many documents may be on their way at once. Not thread-safe.
//
// More by kStep for each window of answers, less by a quarter when the server throttles: what TCP does, because the throughput
// that is left for this client can be seen by trying only.
class InFlightWindow {
 public:
  using Time = std::chrono::steady_clock::time_point;

  static constexpr size_t kMin = 10;
  static constexpr size_t kStep = 100;
  // Answers to what was sent before the window shrank say nothing about it.
  static constexpr std::chrono::milliseconds kPause{200};

  InFlightWindow(size_t first, size_t most);

  size_t size() const { return size_; }
  void note_success(size_t documents);
  void note_throttle(Time now);

 private:
  size_t most_;
  size_t size_;
  size_t answered_ = 0;
  Time shrunk_{};
};

// Where to begin: what so many request units a second can write in a tenth of a second, and a batch at least. 0: nobody knows.
size_t first_window(double units_per_second);

}  // namespace partita::tools::transfer
