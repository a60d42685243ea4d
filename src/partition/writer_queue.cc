#include "partition/writer_queue.h"

#include "base/must_not_wait.h"
#include "partition/charge/throttling.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <vector>

namespace partita {
namespace {

// Those ahead of somebody who finds the queue full are served within about that time, unless a script holds them up.
constexpr int64_t kCrowdedWaitUs = 100'000;
// Who has waited too long waited for such a script, and there may be more.
constexpr int64_t kLateWaitUs = 1'000'000;

std::unexpected<Error> no_place_to_wait() {
  return too_many_waiting("Too many requests wait for this partition key value. No changes were made; please retry later.",
                          kCrowdedWaitUs);
}

std::unexpected<Error> waited_too_long() {
  return too_many_waiting(
      "Too much is done for this partition key value before this request. No changes were made; please retry later.",
      kLateWaitUs);
}

}  // namespace

void WriterQueue::Waiter::refuse(const Error& error) {
  if (hold) return hold(std::unexpected(error));
  turn(std::unexpected(error))();
}

std::unexpected<Error> WriterQueue::handed_over() {
  return fail(ErrorCode::kPartitionGone, "the partition was split or merged; its documents are in others now");
}

WriterQueue::Latch& WriterQueue::latch_of(std::string_view logical_partition) {
  return latches_[std::hash<std::string_view>()(logical_partition) % kLatchStripes];
}

bool WriterQueue::is_crowded(const Held& queue) const {
  return queue.waiters.size() >= kWaitersPerLogicalPartitionMax ||
         waiting_.load(std::memory_order_relaxed) >= kWaitersPerPartitionMax;
}

void WriterQueue::enqueue(Held& queue, Waiter& waiter) {
  waiter.until_us = clock_.steady_us() + kWaitForHoldersUsMax;
  queue.waiters.push_back(std::move(waiter));
  waiting_.fetch_add(1, std::memory_order_relaxed);
}

WriterQueue::Turn WriterQueue::arrive(std::string_view logical_partition) {
  Latch& latch = latch_of(logical_partition);
  Turn turn(*this, latch, logical_partition);
  if (!MustNotWait::take(turn.lock_) || is_handed_over()) return turn;
  if (const auto held = latch.held.find(logical_partition); held != latch.held.end()) {
    turn.queue_ = &held->second;
  } else if (latch.is_paused) {
    turn.queue_ = &latch.held.try_emplace(std::string(logical_partition), Held{.has_holder = false, .waiters = {}}).first->second;
  }
  return turn;
}

Status WriterQueue::Turn::wait(Waiter& waiter) {
  if (!writers_.is_crowded(*queue_)) {
    writers_.enqueue(*queue_, waiter);
    return {};
  }
  if (queue_->waiters.empty() && !queue_->has_holder) latch_.held.erase(latch_.held.find(logical_partition_));
  return no_place_to_wait();
}

Result<bool> WriterQueue::hold(std::string_view logical_partition, bool is_patient, Waiter& waiter) {
  Latch& latch = latch_of(logical_partition);
  std::lock_guard lock(latch.mutex);
  if (is_handed_over()) return handed_over();
  const bool must_wait = is_patient && latch.is_paused;
  const auto [held, is_new] =
      latch.held.try_emplace(std::string(logical_partition), Held{.has_holder = !must_wait, .waiters = {}});
  if (is_new && !must_wait) return true;
  if (!is_crowded(held->second)) {
    enqueue(held->second, waiter);
    return false;
  }
  if (is_new) latch.held.erase(held);
  return no_place_to_wait();
}

std::deque<WriterQueue::Ended>*& WriterQueue::passed_on_here() {
  static thread_local std::deque<Ended>* ended = nullptr;
  return ended;
}

// Whoever is granted a hold may end it at once, on this thread. That is noted here and dealt with by the first call, so that the
// stack does not grow with the number of those who wait.
void WriterQueue::pass_on(Owner queue, std::string logical_partition) {
  std::deque<Ended>*& noted = passed_on_here();
  if (noted != nullptr) {
    noted->push_back({std::move(queue), std::move(logical_partition)});
    return;
  }
  std::deque<Ended> ended;
  noted = &ended;
  ended.push_back({std::move(queue), std::move(logical_partition)});
  while (!ended.empty()) {
    const Ended next = std::move(ended.front());
    ended.pop_front();
    next.queue->serve(next.logical_partition);
  }
  noted = nullptr;
}

// Turns are taken here, until a hold takes over, a pause wants none, or nobody is left. That comes soon: those who arrive
// meanwhile wait for their answers before they ask again.
void WriterQueue::serve(const std::string& logical_partition) {
  Latch& latch = latch_of(logical_partition);
  while (true) {
    Waiter next;
    After after;
    bool is_late = false;
    {
      std::lock_guard lock(latch.mutex);
      const auto held = latch.held.find(logical_partition);
      if (held == latch.held.end()) return;  // the partition was handed over
      std::deque<Waiter>& waiters = held->second.waiters;
      if (waiters.empty()) {
        latch.held.erase(held);
        return;
      }
      const bool is_hold = waiters.front().hold != nullptr;
      is_late = waiters.front().until_us < clock_.steady_us();
      if (!is_hold && !is_late && latch.is_paused) {
        held->second.has_holder = false;
        return;
      }
      next = std::move(waiters.front());
      waiters.pop_front();
      waiting_.fetch_sub(1, std::memory_order_relaxed);
      if (!is_hold && !is_late) after = next.turn({});
    }
    if (is_late) {
      next.refuse(waited_too_long().error());
      continue;
    }
    if (next.hold) return next.hold({});
    after();
  }
}

WriterQueue::Commit WriterQueue::begin_commit(std::string_view logical_partition, bool must_be_open,
                                              std::chrono::milliseconds wait_max) {
  Latch& latch = latch_of(logical_partition);
  std::unique_lock lock(latch.mutex);
  const bool is_open = !must_be_open || latch.pause_ended.wait_for(lock, wait_max, [&latch] { return !latch.is_paused; });
  return {std::move(lock), is_open};
}

std::unique_lock<std::mutex> WriterQueue::pause() {
  std::unique_lock pause(pausing_);
  for (Latch& latch : latches_) {
    std::lock_guard lock(latch.mutex);
    latch.is_paused = true;
  }
  return pause;
}

void WriterQueue::end_pause(const Owner& queue, std::unique_lock<std::mutex> pause) {
  const bool is_handed_over = queue->is_handed_over();
  std::vector<std::string> waited_for;
  std::vector<Waiter> sent_on;  // also from behind holds: what those still do is dropped
  for (Latch& latch : queue->latches_) {
    std::lock_guard lock(latch.mutex);
    latch.is_paused = false;
    for (auto& [logical_partition, held] : latch.held) {
      if (is_handed_over) {
        std::ranges::move(held.waiters, std::back_inserter(sent_on));
      } else if (!held.has_holder) {
        held.has_holder = true;
        waited_for.push_back(logical_partition);
      }
    }
    if (is_handed_over) latch.held.clear();
    latch.pause_ended.notify_all();
  }
  queue->waiting_.fetch_sub(sent_on.size(), std::memory_order_relaxed);
  pause.unlock();
  for (std::string& logical_partition : waited_for) pass_on(queue, std::move(logical_partition));
  for (Waiter& waiter : sent_on) waiter.refuse(handed_over().error());
}

}  // namespace partita
