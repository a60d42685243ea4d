#pragma once

#include "base/clock.h"
#include "base/result.h"

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

namespace partita {

// How many writers may wait for one logical partition, and for all of a physical one: behind a hold, or while a pause lives.
// Those beyond are refused (kThrottled, with when to come back).
inline constexpr size_t kWaitersPerLogicalPartitionMax = 1'000;
inline constexpr size_t kWaitersPerPartitionMax = 10'000;
// So long one of them waits: as two scripts run that use all their time. Who waits longer is refused likewise by whoever serves
// the queue next, which is when a holder ends.
inline constexpr int64_t kWaitForHoldersUsMax = 20'000'000;

// WriterQueue: who writes when in one partition: one writer at a time in each logical partition, in the order of arrival.
//
// A short writer has a turn, which is a latch held by its thread. A long one is the holder, which no thread waits for: those who
// come meanwhile queue as functions, and are run by the thread that ends the hold, or the pause.
//
// Thread-safe. Lock order: pausing_, then one latch's mutex; a turn is held while the partition is written, so the sequencer's
// and the index's locks come behind it. Functions of waiters that are not their turn's are called without any lock. Invariants:
// 1. A logical partition has a queue (Held) while it has a holder or somebody waits for it, and not otherwise.
// 2. While writers are paused, nobody gets a turn; holders go on, and wait before they write.
// 3. Once it is handed over, nobody gets a turn or a hold, and everybody who waits is told when the pause ends.
class WriterQueue {
 public:
  // What is to be done when the latch is free again.
  using After = std::move_only_function<void()>;
  // One who waits, for a turn or for a hold. Either is called with an error when others have the documents now, and when it has
  // waited too long.
  struct Waiter {
    std::move_only_function<After(Status)> turn;
    std::move_only_function<void(Status)> hold;
    int64_t until_us = 0;  // set by the queue, in the order of arrival

    // Instead of a turn or a hold. REQUIRES: no lock is held.
    void refuse(const Error& error);
  };
  // Keeps alive what the queue is a part of.
  using Owner = std::shared_ptr<WriterQueue>;

 private:
  // A logical partition with a holder, or (while writers are paused) only with those who wait.
  struct Held {
    bool has_holder = true;
    std::deque<Waiter> waiters;
  };
  struct Latch {
    std::timed_mutex mutex;  // its owner may wait for the store
    std::condition_variable_any pause_ended;
    std::map<std::string, Held, std::less<>> held;  // guarded by mutex
    bool is_paused = false;                         // guarded by mutex
  };

 public:
  explicit WriterQueue(const Clock& clock) : clock_(clock) {}

  // Turn: the latch of a logical partition, and whether it is the caller's turn to write. Belongs to one thread.
  class Turn {
   public:
    // Else the latch was not to be had, and nothing else of this may be called (base/must_not_wait.h).
    bool has_latch() const { return lock_.owns_lock(); }
    bool is_mine() const { return queue_ == nullptr; }
    // Else: in the queue, until its turn comes, unless that is full (kThrottled, and the waiter is still the caller's). REQUIRES:
    // it is not the caller's turn.
    Status wait(Waiter& waiter);
    void end() { lock_.unlock(); }

   private:
    friend class WriterQueue;
    Turn(WriterQueue& writers, Latch& latch, std::string_view logical_partition)
        : writers_(writers), latch_(latch), logical_partition_(logical_partition), lock_(latch.mutex, std::defer_lock) {}

    WriterQueue& writers_;
    Latch& latch_;
    const std::string_view logical_partition_;
    std::unique_lock<std::timed_mutex> lock_;
    Held* queue_ = nullptr;  // null when it is the caller's turn
  };
  Turn arrive(std::string_view logical_partition);

  // The caller is the holder now (true), or queues (false). With `is_patient`, nobody becomes one during a pause. When it fails
  // the waiter is still the caller's: kThrottled, kPartitionGone. REQUIRES: waiter.hold is set.
  Result<bool> hold(std::string_view logical_partition, bool is_patient, Waiter& waiter);
  // The holder is done: what waits runs here, in order, until the next holder. REQUIRES: there is one.
  static void pass_on(Owner queue, std::string logical_partition);

  // For a holder that wants to write: its latch, and whether no pause lives any more, which is waited for only so long.
  struct Commit {
    std::unique_lock<std::timed_mutex> lock;
    bool is_open;
  };
  Commit begin_commit(std::string_view logical_partition, bool must_be_open, std::chrono::milliseconds wait_max);

  // Waits for another pause and for turns, which are short; not for holders. No turn is given until end_pause() on this thread,
  // which runs those who have waited.
  std::unique_lock<std::mutex> pause();
  static void end_pause(const Owner& queue, std::unique_lock<std::mutex> pause);

  // REQUIRES: writers are paused.
  void hand_over() { is_handed_over_.store(true, std::memory_order_release); }
  bool is_handed_over() const { return is_handed_over_.load(std::memory_order_acquire); }
  // What writers are told then.
  static std::unexpected<Error> handed_over();

 private:
  // A hold that has ended, for those who wait behind it.
  struct Ended {
    Owner queue;
    std::string logical_partition;
  };

  static constexpr size_t kLatchStripes = 64;
  Latch& latch_of(std::string_view logical_partition);
  bool is_crowded(const Held& queue) const;
  void enqueue(Held& queue, Waiter& waiter);
  static std::deque<Ended>*& passed_on_here();
  void serve(const std::string& logical_partition);

  const Clock& clock_;
  std::array<Latch, kLatchStripes> latches_;
  std::mutex pausing_;  // held by the pause that lives
  std::atomic<size_t> waiting_ = 0;
  std::atomic<bool> is_handed_over_ = false;
};

}  // namespace partita
