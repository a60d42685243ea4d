#pragma once

#include "base/clock.h"
#include "base/result.h"
#include "storage/store.h"

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace partita {

// Committer: makes applied batches durable, many with one sync, and tells those who wait.
//
// A round syncs everything up to the newest ticket at its start; tickets are handed out by note_applied(), after a batch is in
// the log's buffer. Rounds run one at a time, on the committer's own thread. Invariants: durable() <=
// newest ticket; a callback runs exactly once, in ticket order within a round, with an error if and only if its ticket may not be
// on disk.
class Committer {
 public:
  struct Log {
    std::function<Status(CommitTicket)> sync;  // writes out and syncs everything buffered so far, at least up to this batch
    std::function<Status()> recover;           // tries to make a failed log usable again
  };
  // `clock`: what callbacks are timed by; null: the system's.
  Committer(Log log, Durability durability, const Clock* clock = nullptr);
  ~Committer();

  CommitTicket note_applied() { return applied_.fetch_add(1, std::memory_order_acq_rel) + 1; }
  CommitTicket applied() const { return applied_.load(std::memory_order_acquire); }
  CommitTicket durable() const { return durable_.load(std::memory_order_acquire); }
  bool is_durable(CommitTicket ticket) const;
  void when_durable(CommitTicket ticket, Store::DurableCallback callback);
  void note_failure(std::string reason);
  std::optional<std::string> failure() const;
  bool has_failed() const { return has_failed_.load(std::memory_order_acquire); }
  CallbackTimes callback_times() const;
  uint64_t syncs() const { return syncs_.load(std::memory_order_relaxed); }

 private:
  struct Waiter {
    CommitTicket ticket;
    Store::DurableCallback callback;
  };

  void run();
  void wait_for_work(std::unique_lock<std::mutex>& lock);
  void sync_once(std::unique_lock<std::mutex>& lock);
  void recover_once(std::unique_lock<std::mutex>& lock);
  void release(std::unique_lock<std::mutex>& lock, CommitTicket up_to, const Status& outcome);
  static void note_longest(std::atomic<uint64_t>& longest, int64_t us);
  void note_callback(int64_t us);

  const Log log_;
  const Durability durability_;
  const SystemClock system_clock_;
  const Clock& clock_;
  std::atomic<CommitTicket> applied_{0};
  std::atomic<CommitTicket> durable_{0};
  std::atomic<uint64_t> syncs_{0};
  std::atomic<bool> has_failed_{false};
  // Of callbacks; written by the committer's thread.
  std::atomic<uint64_t> over_1_ms_{0};
  std::atomic<uint64_t> over_10_ms_{0};
  std::atomic<uint64_t> over_100_ms_{0};
  std::atomic<uint64_t> longest_us_{0};
  std::atomic<uint64_t> longest_round_processor_us_{0};

  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Waiter> waiters_;  // not sorted: tickets of concurrent writers may arrive out of order
  std::string failure_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace partita
