#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace partita::server {

// So long an orderly end may take after SIGTERM or SIGINT. What is acknowledged is on disk by then; an end by force after it is
// what the next start knows from a crash.
inline constexpr std::chrono::milliseconds kStopTimeMax{1500};

// StopSignals: a thread that waits for SIGTERM and SIGINT, and sees to it that the process ends soon after one.
//
// While the server starts, the process ends at once: nobody has been told anything yet. Later wait() returns, and if the object
// still lives kStopTimeMax after that, the process ends by force. REQUIRES: both signals are blocked in all other threads.
class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  // The server has started, and from now on has something to bring to an end.
  void note_started();
  // Until one of the signals comes.
  void wait();

 private:
  void run();
  void end_by_force_if_late(std::unique_lock<std::mutex>& lock);

  std::mutex mutex_;
  std::condition_variable changed_;
  bool has_started_ = false;  // guarded by mutex_, as all below
  bool is_signalled_ = false;
  bool is_over_ = false;
  std::thread thread_;
};

}  // namespace partita::server
