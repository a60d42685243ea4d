#include "server/stop_signals.h"

#include "observe/log.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <cstdio>

namespace partita::server {
namespace {

constexpr int kWakeUp = SIGUSR2;  // to this object's own thread, at its end

sigset_t awaited_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGTERM, SIGINT, kWakeUp}) sigaddset(&signals, signal);
  return signals;
}

void say(std::string_view line) {
  fmt::print("{}\n", line);
  std::fflush(stdout);
}

}  // namespace

StopSignals::StopSignals() {
  const sigset_t signals = awaited_signals();
  ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);  // before the thread starts, which inherits it
  thread_ = std::thread([this] { run(); });
}

StopSignals::~StopSignals() {
  {
    std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  changed_.notify_all();
  ::pthread_kill(thread_.native_handle(), kWakeUp);
  thread_.join();
}

void StopSignals::note_started() {
  std::lock_guard lock(mutex_);
  has_started_ = true;
}

void StopSignals::wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return is_signalled_; });
}

void StopSignals::run() {
  const sigset_t signals = awaited_signals();
  int received = 0;
  ::sigwait(&signals, &received);
  std::unique_lock lock(mutex_);
  if (is_over_) return;
  say("Stopping.");
  if (!has_started_) ::_exit(0);
  is_signalled_ = true;
  changed_.notify_all();
  end_by_force_if_late(lock);
}

void StopSignals::end_by_force_if_late(std::unique_lock<std::mutex>& lock) {
  if (changed_.wait_for(lock, kStopTimeMax, [this] { return is_over_; })) return;
  spdlog::warn(
      "the server ends by force, because something did not end by itself within {} ms; the next start reads the log, "
      "as after a crash",
      kStopTimeMax.count());
  spdlog::default_logger()->flush();
  ::_exit(0);
}

}  // namespace partita::server
