#include "storage/committer.h"

#include "base/check.h"

#include <time.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace partita {
namespace {

constexpr std::chrono::milliseconds kRelaxedSyncInterval{100};
constexpr std::chrono::seconds kRecoveryInterval{1};

int64_t processor_us() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return time.tv_sec * 1'000'000 + time.tv_nsec / 1'000;
}

}  // namespace

Committer::Committer(Log log, Durability durability, const Clock* clock)
    : log_(std::move(log)),
      durability_(durability),
      clock_(clock == nullptr ? system_clock_ : *clock),
      thread_([this] { run(); }) {}

Committer::~Committer() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

bool Committer::is_durable(CommitTicket ticket) const {
  return durability_ == Durability::kRelaxed || ticket <= durable_.load(std::memory_order_acquire);
}

void Committer::when_durable(CommitTicket ticket, Store::DurableCallback callback) {
  if (is_durable(ticket)) return callback({});
  std::unique_lock lock(mutex_);
  // Once more under the lock: a sync that has ended meanwhile has told its waiters already.
  if (is_durable(ticket)) {
    lock.unlock();
    return callback({});
  }
  waiters_.push_back({ticket, std::move(callback)});
  lock.unlock();
  wake_.notify_one();
}

void Committer::note_failure(std::string reason) {
  {
    std::lock_guard lock(mutex_);
    failure_ = std::move(reason);
    has_failed_.store(true, std::memory_order_release);
  }
  wake_.notify_one();
}

std::optional<std::string> Committer::failure() const {
  if (!has_failed_.load(std::memory_order_acquire)) return std::nullopt;
  std::lock_guard lock(mutex_);
  return failure_;
}

void Committer::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    wait_for_work(lock);
    if (has_failed_.load(std::memory_order_relaxed)) recover_once(lock);
    const bool is_possible = !has_failed_.load(std::memory_order_relaxed);
    if (is_possible && applied() > durable_.load(std::memory_order_relaxed)) sync_once(lock);
    if (stopping_) {
      const Status refusal = fail(ErrorCode::kUnavailable, "the server is shutting down");
      release(lock, UINT64_MAX, refusal);
      return;
    }
  }
}

void Committer::wait_for_work(std::unique_lock<std::mutex>& lock) {
  if (has_failed_.load(std::memory_order_relaxed)) {
    wake_.wait_for(lock, kRecoveryInterval, [this] { return stopping_; });
  } else if (durability_ == Durability::kRelaxed) {
    wake_.wait_for(lock, kRelaxedSyncInterval, [this] { return stopping_; });
  } else {
    wake_.wait(lock, [this] { return stopping_ || has_failed_.load(std::memory_order_relaxed) || !waiters_.empty(); });
  }
}

void Committer::sync_once(std::unique_lock<std::mutex>& lock) {
  const CommitTicket target = applied();
  lock.unlock();
  const Status outcome = log_.sync(target);
  syncs_.fetch_add(1, std::memory_order_relaxed);
  lock.lock();
  if (outcome) {
    durable_.store(target, std::memory_order_release);
    release(lock, target, outcome);
  } else {
    failure_ = outcome.error().message;
    has_failed_.store(true, std::memory_order_release);
    release(lock, UINT64_MAX, outcome);
  }
}

void Committer::recover_once(std::unique_lock<std::mutex>& lock) {
  release(lock, UINT64_MAX, fail(ErrorCode::kStorageFailure, failure_));
  lock.unlock();
  const Status outcome = log_.recover();
  lock.lock();
  if (outcome) {
    failure_.clear();
    has_failed_.store(false, std::memory_order_release);
  }  // else the first reason stays: why it began says more than what a further attempt stumbled over
}

void Committer::note_longest(std::atomic<uint64_t>& longest, int64_t us) {
  if (static_cast<int64_t>(longest.load(std::memory_order_relaxed)) < us)
    longest.store(static_cast<uint64_t>(us), std::memory_order_relaxed);
}

void Committer::note_callback(int64_t us) {
  note_longest(longest_us_, us);
  if (us < 1'000) return;
  over_1_ms_.fetch_add(1, std::memory_order_relaxed);
  if (us >= 10'000) over_10_ms_.fetch_add(1, std::memory_order_relaxed);
  if (us >= 100'000) over_100_ms_.fetch_add(1, std::memory_order_relaxed);
}

CallbackTimes Committer::callback_times() const {
  return {.over_1_ms = over_1_ms_.load(std::memory_order_relaxed),
          .over_10_ms = over_10_ms_.load(std::memory_order_relaxed),
          .over_100_ms = over_100_ms_.load(std::memory_order_relaxed),
          .longest_us = longest_us_.load(std::memory_order_relaxed),
          .longest_round_processor_us = longest_round_processor_us_.load(std::memory_order_relaxed)};
}

void Committer::release(std::unique_lock<std::mutex>& lock, CommitTicket up_to, const Status& outcome) {
  std::vector<Waiter> ready;
  for (auto waiter = waiters_.begin(); waiter != waiters_.end();) {
    if (waiter->ticket <= up_to) {
      ready.push_back(std::move(*waiter));
      waiter = waiters_.erase(waiter);
    } else {
      ++waiter;
    }
  }
  lock.unlock();
  std::ranges::sort(ready, {}, &Waiter::ticket);
  if (!ready.empty()) {
    const int64_t began_processor_us = processor_us();
    for (int64_t began_us = clock_.steady_us(); Waiter & waiter : ready) {
      waiter.callback(outcome);
      const int64_t now_us = clock_.steady_us();
      note_callback(now_us - std::exchange(began_us, now_us));
    }
    note_longest(longest_round_processor_us_, processor_us() - began_processor_us);
  }
  lock.lock();
}

}  // namespace partita
