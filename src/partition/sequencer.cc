#include "partition/sequencer.h"

#include "base/must_not_wait.h"

#include <algorithm>
#include <utility>

namespace partita {

PartitionCounters Sequencer::counters() const {
  std::lock_guard lock(mutex_);
  return counters_;
}

void Sequencer::set_counters(const PartitionCounters& after) {
  counters_ = after;
  stored_bytes_.store(after.stored_bytes(), std::memory_order_relaxed);
}

void Sequencer::set_allowances(Allowances allowances) {
  std::lock_guard lock(mutex_);
  allowances_ = std::move(allowances);
}

Lsn Sequencer::set_watch(std::shared_ptr<ChangeWatch> watch) {
  std::lock_guard lock(mutex_);
  watch_ = std::move(watch);
  return counters_.lsn;
}

void Sequencer::retire(Error reason) {
  std::lock_guard lock(mutex_);
  retired_ = std::move(reason);
}

void Sequencer::reinstate() {
  std::lock_guard lock(mutex_);
  retired_.reset();
}

Result<Lsn> Sequencer::visible_lsn() const {
  std::unique_lock lock(mutex_, std::defer_lock);
  if (!MustNotWait::take(lock)) return MustNotWait::refuse();
  return counters_.lsn;
}

Status Sequencer::check_allowance(std::string_view logical_partition, int64_t grown) const {
  if (allowances_.empty()) return {};
  const auto allowance = allowances_.find(logical_partition);
  if (allowance == allowances_.end() || grown <= std::max<int64_t>(allowance->second, 0)) return {};
  return fail(ErrorCode::kLogicalPartitionFull,
              "The logical partition is full: the documents of one partition key value have as many bytes as they may "
              "have. Delete some of them, or use a partition key with more values.");
}

void Sequencer::note_growth(std::string_view logical_partition, int64_t grown) {
  if (grown > 0) bytes_grown_.fetch_add(static_cast<uint64_t>(grown), std::memory_order_relaxed);
  if (allowances_.empty()) return;
  if (const auto allowance = allowances_.find(logical_partition); allowance != allowances_.end()) allowance->second -= grown;
}

Result<CommitTicket> Sequencer::apply(std::string_view logical_partition, Transaction& transaction, Lsn& lsn) {
  const LargeWrite large(store_, transaction.batch());
  std::unique_lock lock(mutex_, std::defer_lock);
  if (!MustNotWait::take(lock)) return MustNotWait::refuse();
  if (retired_) return std::unexpected(*retired_);
  PartitionCounters after = counters_;
  lsn = Lsn{counters_.lsn.value + 1};
  transaction.seal(lsn, after);
  const int64_t grown = static_cast<int64_t>(after.record_bytes) - static_cast<int64_t>(counters_.record_bytes);
  TRY(check_allowance(logical_partition, grown));
  TRY_ASSIGN(const CommitTicket ticket, store_.apply(transaction.batch()));
  note_growth(logical_partition, grown);
  set_counters(after);
  if (watch_) watch_->note(lsn, transaction.changed_numbers());
  applied_lsn_.store(after.lsn.value, std::memory_order_release);
  return ticket;
}

Result<bool> Sequencer::apply_rows(WriteBatch& batch) {
  std::lock_guard lock(mutex_);
  if (retired_) return false;
  TRY(store_.apply(batch));
  return true;
}

Result<bool> Sequencer::drop_versions(PartitionId id, Lsn last, uint64_t bytes) {
  std::lock_guard lock(mutex_);
  if (retired_) return false;
  PartitionCounters after = counters_;
  after.versions_after = std::max(after.versions_after, last);
  after.version_bytes -= bytes;
  WriteBatch batch(store_);
  batch.erase_range(Family::kVersions, partition_prefix(id), change_key(id, Lsn{last.value + 1}, DocumentNumber{0}));
  batch.put(Family::kCatalog, counters_key(id), encode_counters(after));
  TRY(store_.apply(batch));
  set_counters(after);
  return true;
}

void Sequencer::when_durable(Lsn seen, Owner owner, Durable callback) {
  if (is_durable(seen)) return callback({});
  CommitTicket ticket = 0;
  Lsn reached;
  {
    // A batch is visible a moment before it has its ticket; whoever held the lock has finished both.
    std::unique_lock lock(mutex_, std::defer_lock);
    if (!MustNotWait::take(lock)) return callback(MustNotWait::refuse());
    ticket = store_.applied();
    reached = counters_.lsn;
  }
  when_reached(ticket, reached, std::move(owner), std::move(callback));
}

void Sequencer::when_reached(CommitTicket ticket, Lsn reached, Owner owner, Durable callback) {
  store_.when_durable(ticket, [this, owner = std::move(owner), reached, callback = std::move(callback)](Status durable) mutable {
    if (durable) note_durable(reached);
    callback(std::move(durable));
  });
}

void Sequencer::refresh_durable(Owner owner) {
  std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock || is_durable(counters_.lsn)) return;
  const CommitTicket ticket = store_.applied();
  const Lsn reached = counters_.lsn;
  lock.unlock();
  when_reached(ticket, reached, std::move(owner), [](const Status&) {});
}

void Sequencer::note_durable(Lsn lsn) {
  uint64_t known = durable_lsn_.load(std::memory_order_relaxed);
  while (known < lsn.value) {
    if (!durable_lsn_.compare_exchange_weak(known, lsn.value, std::memory_order_seq_cst)) continue;
    return change_waiters_.note(lsn);
  }
}

// A write that becomes durable between the two lines is noted by one of them.
Status Sequencer::when_changed(Lsn after, ChangeWaiterId waiter, const std::shared_ptr<DueChanges>& due) {
  TRY(change_waiters_.add(after, waiter, due));
  change_waiters_.note({durable_lsn_.load(std::memory_order_seq_cst)});
  return {};
}

}  // namespace partita
