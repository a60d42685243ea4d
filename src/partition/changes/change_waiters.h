#pragma once

#include "base/result.h"
#include "engine/rows.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

namespace partita {

// How many may wait for changes of one physical partition. Those beyond are refused (kThrottled, with when to come back).
inline constexpr size_t kChangeWaitersPerPartitionMax = 1'000;

// Names whoever waits for changes, of one partition or of several. Never used twice.
using ChangeWaiterId = uint64_t;
// By the LSN that they have seen already, least first.
using ChangeWaiterSet = std::set<std::pair<Lsn, ChangeWaiterId>>;

// DueChanges: whose wait is over, for the thread that tells them. Thread-safe; putting is cheap, because committers do it.
class DueChanges {
 public:
  struct Batch {
    ChangeWaiterSet waiters;
    bool is_gone = false;  // the partition was split or merged, or was dropped
  };

  void put(Batch batch);
  std::vector<Batch> take();
  // Returns when something was put, when woken, or at the latest after this time.
  void wait(std::chrono::milliseconds at_most);
  void wake();

 private:
  std::mutex mutex_;
  std::condition_variable is_awaited_;
  std::vector<Batch> batches_;  // guarded by mutex_
  bool is_woken_ = false;       // guarded by mutex_
};

// ChangeWaiters: who waits until something newer than an LSN is durable in one partition.
//
// Thread-safe. While nobody waits, a write pays for it with one look at an atomic. Nobody is told here: those who are due are put
// into the queue that they came with, all at once, so that a committer's thread is not kept by their number.
// Invariants: 1. each waiter leaves once, as due, as one whose partition is gone, or by remove(). 2. No wake-up is lost: a writer
// raises the durable LSN before it looks whether anybody waits, a waiter is in the set before its caller looks at the durable
// LSN, and both in one total order (sequentially consistent), so that at least one of them sees the other.
class ChangeWaiters {
 public:
  ChangeWaiters() = default;
  ~ChangeWaiters() { close(); }
  ChangeWaiters(const ChangeWaiters&) = delete;
  ChangeWaiters& operator=(const ChangeWaiters&) = delete;

  // kPartitionGone, kThrottled. REQUIRES: the caller calls note() with the durable LSN afterwards; all waiters of the partition
  // come with one queue.
  Status add(Lsn after, ChangeWaiterId waiter, const std::shared_ptr<DueChanges>& due);
  void remove(Lsn after, ChangeWaiterId waiter);
  // That everything up to this LSN is durable.
  void note(Lsn durable) {
    if (has_waiters_.load(std::memory_order_seq_cst)) hand_out(durable);
  }
  // Nothing will ever change here again: everybody is due, and nobody is taken any more.
  void close();

 private:
  void hand_out(Lsn durable);

  std::atomic<bool> has_waiters_ = false;  // changes with mutex_ held
  std::mutex mutex_;
  // All guarded by mutex_.
  ChangeWaiterSet waiters_;
  std::shared_ptr<DueChanges> due_;
  bool is_closed_ = false;
};

}  // namespace partita
