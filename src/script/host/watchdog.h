#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

namespace partita::script {

// Watchdog: ends what takes too long. Armed and disarmed by one thread, calls back on its own.
//
// Arming again is cheap: the thread is woken only when it would otherwise sleep past the new deadline. When the work goes on in
// spite of `expired` (deep inside the engine), `stuck` is called after a grace period.
class Watchdog {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds kGrace{2000};

  Watchdog(std::function<void()> expired, std::function<void()> stuck);
  ~Watchdog();

  void arm(Clock::time_point deadline);
  void disarm();
  bool has_expired();

 private:
  void run();

  const std::function<void()> expired_;
  const std::function<void()> stuck_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::optional<Clock::time_point> deadline_;  // guarded by mutex_, as all below
  Clock::time_point wakes_at_ = Clock::time_point::max();
  bool has_expired_ = false;
  bool is_stopping_ = false;
  std::thread thread_;
};

}  // namespace partita::script
