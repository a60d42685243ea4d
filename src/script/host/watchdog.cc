#include "script/host/watchdog.h"

#include <utility>

namespace partita::script {

Watchdog::Watchdog(std::function<void()> expired, std::function<void()> stuck)
    : expired_(std::move(expired)), stuck_(std::move(stuck)), thread_([this] { run(); }) {}

Watchdog::~Watchdog() {
  {
    std::lock_guard lock(mutex_);
    is_stopping_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void Watchdog::arm(Clock::time_point deadline) {
  std::lock_guard lock(mutex_);
  deadline_ = deadline;
  has_expired_ = false;
  if (deadline < wakes_at_) wake_.notify_one();
}

void Watchdog::disarm() {
  std::lock_guard lock(mutex_);
  deadline_.reset();
}

bool Watchdog::has_expired() {
  std::lock_guard lock(mutex_);
  return has_expired_;
}

void Watchdog::run() {
  std::unique_lock lock(mutex_);
  while (!is_stopping_) {
    if (!deadline_) {
      wakes_at_ = Clock::time_point::max();
      wake_.wait(lock);
      continue;
    }
    const Clock::time_point end = has_expired_ ? *deadline_ + kGrace : *deadline_;
    if (Clock::now() < end) {
      wakes_at_ = end;
      wake_.wait_until(lock, end);
      continue;
    }
    if (has_expired_) return stuck_();
    has_expired_ = true;
    expired_();
  }
}

}  // namespace partita::script
