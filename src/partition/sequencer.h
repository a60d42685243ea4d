#pragma once

#include "base/result.h"
#include "engine/rows.h"
#include "engine/transaction.h"
#include "partition/changes/change_waiters.h"
#include "partition/changes/change_watch.h"
#include "storage/store.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace partita {

// Sequencer: gives one partition's writes their LSNs, in the order in which they become visible, and knows which are durable.
//
// Thread-safe. Lock order: a writer's turn (WriterQueue), then the sequencer; behind it only the store is called.
// Invariants:
// 1. Batches reach the store in the order of their LSNs, so a reader who has seen LSN n has seen all before it.
// 2. durable_lsn() <= applied_lsn(); neither ever goes back.
// 3. counters() are those of the last batch that was applied: the store has them in the same batch.
// 4. After retire() nothing is applied, until reinstate().
//
// Callbacks of the store may come when nobody else has the partition any more: `owner` keeps alive what the sequencer is a part
// of.
class Sequencer {
 public:
  using Owner = std::shared_ptr<const void>;
  using Durable = std::move_only_function<void(Status)>;
  // How many bytes some logical partitions may still grow; all others are without limit.
  using Allowances = std::map<std::string, int64_t, std::less<>>;

  Sequencer(Store& store, const PartitionCounters& counters)
      : store_(store),
        counters_(counters),
        stored_bytes_(counters.stored_bytes()),
        applied_lsn_(counters.lsn.value),
        durable_lsn_(counters.lsn.value) {}

  PartitionCounters counters() const;
  // The LSN of the last write that anybody can have seen. kWouldWait where nobody must wait for a writer.
  Result<Lsn> visible_lsn() const;
  // A moment old: unlike counters() these wait for no writer.
  uint64_t stored_bytes() const { return stored_bytes_.load(std::memory_order_relaxed); }
  uint64_t bytes_grown() const { return bytes_grown_.load(std::memory_order_relaxed); }
  Lsn applied_lsn() const { return {applied_lsn_.load(std::memory_order_acquire)}; }
  Lsn durable_lsn() const { return {durable_lsn_.load(std::memory_order_acquire)}; }
  bool is_durable(Lsn seen) const { return seen <= durable_lsn(); }

  void set_allowances(Allowances allowances);
  // Every write notes its documents here from now on; null ends that. All that are not noted have at most the returned LSN.
  Lsn set_watch(std::shared_ptr<ChangeWatch> watch);
  void retire(Error reason);
  void reinstate();

  // One further write, whose LSN is told in `lsn`. kLogicalPartitionFull beyond the allowance. REQUIRES: the transaction is
  // prepared, and no other writer of its logical partition runs.
  Result<CommitTicket> apply(std::string_view logical_partition, Transaction& transaction, Lsn& lsn);
  // Rows that are no write, such as a growing index's. False when the partition is retired.
  Result<bool> apply_rows(WriteBatch& batch);
  // Drops the kept versions of writes up to this LSN, which have so many bytes. False when the partition is retired.
  Result<bool> drop_versions(PartitionId id, Lsn last, uint64_t bytes);

  // Calls back once everything up to `seen` is durable, or at once with kWouldWait.
  void when_durable(Lsn seen, Owner owner, Durable callback);
  // This write is durable, and with it all before.
  void note_durable(Lsn lsn);
  // Finds out whether what was applied has become durable by itself. Waits for nobody.
  void refresh_durable(Owner owner);

  Status when_changed(Lsn after, ChangeWaiterId waiter, const std::shared_ptr<DueChanges>& due);
  void stop_waiting(Lsn after, ChangeWaiterId waiter) { change_waiters_.remove(after, waiter); }
  // Nothing will change here any more: those who wait are told.
  void close_changes() { change_waiters_.close(); }

 private:
  // REQUIRES, of these: mutex_ is held.
  void set_counters(const PartitionCounters& after);
  Status check_allowance(std::string_view logical_partition, int64_t grown) const;
  void note_growth(std::string_view logical_partition, int64_t grown);
  void when_reached(CommitTicket ticket, Lsn reached, Owner owner, Durable callback);

  Store& store_;
  mutable std::timed_mutex mutex_;      // its owner may wait for the store
  PartitionCounters counters_;          // guarded by mutex_
  std::optional<Error> retired_;        // guarded by mutex_
  Allowances allowances_;               // guarded by mutex_
  std::shared_ptr<ChangeWatch> watch_;  // guarded by mutex_
  std::atomic<uint64_t> stored_bytes_;
  std::atomic<uint64_t> bytes_grown_ = 0;
  std::atomic<uint64_t> applied_lsn_;
  std::atomic<uint64_t> durable_lsn_;
  ChangeWaiters change_waiters_;
};

}  // namespace partita
