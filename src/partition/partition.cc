#include "partition/partition.h"

#include "base/bytes.h"
#include "engine/versions.h"

#include <algorithm>

namespace partita {

Result<std::shared_ptr<Partition>> Partition::open(Store& store, const Clock& clock, PartitionId id, EffectiveKeyRange range,
                                                   Index index, Rules rules, Epoch epoch) {
  TRY_ASSIGN(const PartitionCounters counters, Slice(store, id, index.id).counters());
  return std::shared_ptr<Partition>(
      new Partition(store, clock, id, std::move(range), std::move(index), std::move(rules), epoch, counters));
}

Partition::Partition(Store& store, const Clock& clock, PartitionId id, EffectiveKeyRange range, Index index, Rules rules,
                     Epoch epoch, PartitionCounters counters)
    : store_(store),
      clock_(clock),
      meter_(clock),
      predicate_cache_(store.shared_room()),
      id_(id),
      range_(std::move(range)),
      epoch_(epoch),
      index_(std::move(index)),
      rules_(std::move(rules)),
      counters_(counters),
      stored_bytes_(counters.stored_bytes()),
      applied_lsn_(counters.lsn.value),
      durable_lsn_(counters.lsn.value) {}

Partition::Index Partition::index() const {
  std::lock_guard lock(index_mutex_);
  return index_;
}

std::optional<Partition::Index> Partition::durable_index() const {
  std::lock_guard lock(index_mutex_);
  if (!store_.is_durable(index_since_)) return std::nullopt;
  return index_;
}

Partition::State Partition::state() const {
  std::lock_guard lock(index_mutex_);
  return {index_, growth_ ? std::optional(growth_->index) : std::nullopt, rules_, index_changes_};
}

Slice Partition::slice() const {
  std::lock_guard lock(index_mutex_);
  return slice_of(index_, *rules_);
}

Slice Partition::slice_of(const Index& index, const DocumentRules& rules) const {
  const TimeToLive& time_to_live = rules.time_to_live;
  return Slice(store_, id_, index.id, {time_to_live, time_to_live.is_on() ? clock_.unix_seconds() : 0});
}

void Partition::set_rules(Rules rules) {
  std::lock_guard lock(index_mutex_);
  rules_ = std::move(rules);
}

void Partition::set_counters(const PartitionCounters& after) {
  counters_ = after;
  stored_bytes_.store(after.stored_bytes(), std::memory_order_relaxed);
}

PartitionCounters Partition::counters() const {
  std::lock_guard lock(sequencer_);
  return counters_;
}

Result<size_t> Partition::drop_versions(int64_t before) {
  constexpr size_t kDroppedMax = 10'000;
  Cursor cursor = slice().cursor(Family::kVersions);
  size_t dropped = 0;
  uint64_t dropped_bytes = 0;
  Lsn last;
  for (cursor.seek_first(); cursor.valid(); cursor.next()) {
    TRY_ASSIGN(const ItemVersion version, version_from_row(cursor.key(), cursor.value()));
    // Those of one write go together.
    if (version.lsn != last && (version.seconds() >= before || dropped >= kDroppedMax)) break;
    last = version.lsn;
    ++dropped;
    dropped_bytes += cursor.value().size();
  }
  TRY(cursor.status());
  if (dropped == 0) return dropped;
  std::lock_guard lock(sequencer_);
  if (retired_) return 0;
  PartitionCounters after = counters_;
  after.versions_after = std::max(after.versions_after, last);
  after.version_bytes -= dropped_bytes;
  WriteBatch batch(store_);
  batch.erase_range(Family::kVersions, partition_prefix(id_), change_key(id_, Lsn{last.value + 1}, DocumentNumber{0}));
  batch.put(Family::kCatalog, counters_key(id_), encode_counters(after));
  TRY(store_.apply(batch));
  set_counters(after);
  return dropped;
}

void Partition::set_rooms(Rooms rooms) {
  std::lock_guard lock(sequencer_);
  rooms_ = std::move(rooms);
}

Status Partition::take_room(std::string_view logical_partition, int64_t grown) {
  if (grown > 0) bytes_grown_.fetch_add(static_cast<uint64_t>(grown), std::memory_order_relaxed);
  if (rooms_.empty()) return {};
  const auto room = rooms_.find(logical_partition);
  if (room == rooms_.end()) return {};
  if (grown > std::max<int64_t>(room->second, 0)) {
    return fail(ErrorCode::kLogicalPartitionFull,
                "Partition key reached maximum size: the documents of one partition key value have as many bytes as they may "
                "have. Delete some of them, or use a partition key with more values.");
  }
  room->second -= grown;
  return {};
}

void Partition::retire(Error reason) {
  std::lock_guard lock(sequencer_);
  retired_ = std::move(reason);
}

void Partition::hand_over() {
  is_handed_over_.store(true, std::memory_order_release);
  change_waiters_.close();
}

Lsn Partition::set_watch(std::shared_ptr<ChangeWatch> watch) {
  std::lock_guard lock(sequencer_);
  watch_ = std::move(watch);
  return counters_.lsn;
}

std::optional<Partition::Growth> Partition::growth() const {
  std::lock_guard lock(index_mutex_);
  return growth_;
}

Partition::Growth Partition::growth_of(Index next, DocumentNumber filled_to) const {
  return {.index = std::move(next), .filled_to = filled_to, .until = counters().newest};
}

void Partition::set_index(Index index, std::optional<Growth> growth) {
  std::lock_guard lock(index_mutex_);
  if (index_.id != index.id) index_since_ = store_.applied();
  index_ = std::move(index);
  growth_ = std::move(growth);
  ++index_changes_;
}

// Documents cannot change while their entries are written, so these are never older than what a writer left.
Result<bool> Partition::fill_index(IndexId growing) {
  constexpr size_t kBatchBytes = 1 << 20;
  constexpr size_t kDocumentsPerPause = 256;
  const Pause pause = pause_writers();
  const std::optional<Growth> before = growth();
  if (!before || before->index.id != growing) return true;
  DocumentNumber filled_to = before->filled_to;
  Cursor cursor = slice().items_after(filled_to);
  WriteBatch batch(store_);
  TermList terms;
  std::string key;
  size_t documents = 0;
  for (cursor.seek_first(); cursor.valid() && documents < kDocumentsPerPause && batch.bytes() < kBatchBytes; cursor.next()) {
    TRY_ASSIGN(const Item item, item_from_record(trailing_number(cursor.key()), std::string(cursor.value())));
    if (item.number > before->until) break;
    collect_terms(item.document(), *before->index.policy, terms);
    for (size_t i = 0; i < terms.size(); ++i) {
      assign_index_key(key, growing, terms[i], item.number);
      batch.put(Family::kIndex, key, terms.payload(i));
    }
    filled_to = item.number;
    ++documents;
  }
  TRY(cursor.status());
  std::string filled_to_bytes;
  append_big_endian(filled_to_bytes, filled_to.value);
  batch.put(Family::kCatalog, index_progress_key(growing), filled_to_bytes);
  {
    std::lock_guard lock(sequencer_);
    if (retired_) return true;
    TRY(store_.apply(batch));
  }
  std::lock_guard lock(index_mutex_);
  growth_->filled_to = filled_to;
  return !cursor.valid() || trailing_number(cursor.key()) > before->until;
}

double Partition::index_progress() const {
  constexpr double kAlmost = 0.99;
  std::lock_guard lock(index_mutex_);
  if (!growth_) return 1;
  if (growth_->until.value == 0) return kAlmost;
  return std::min(kAlmost, static_cast<double>(growth_->filled_to.value) / static_cast<double>(growth_->until.value));
}

void Partition::reinstate() {
  std::lock_guard lock(sequencer_);
  retired_.reset();
}

void Partition::settle(Outcome outcome, CommitCallback callback) {
  if (outcome.ticket == 0) {
    const Lsn seen = outcome.commit.lsn;
    return when_durable(seen, [outcome = std::move(outcome), callback = std::move(callback)](Status durable) mutable {
      // Not even the error may be told while what it was based on can still be lost.
      if (!durable) return callback(std::unexpected(std::move(durable).error()));
      if (!outcome.status) return callback(std::unexpected(std::move(outcome.status).error()));
      callback(outcome.commit);
    });
  }
  store_.when_durable(outcome.ticket, [this, self = shared_from_this(), commit = outcome.commit,
                                       callback = std::move(callback)](Status durable) mutable {
    if (!durable) return callback(std::unexpected(std::move(durable).error()));
    note_durable(commit.lsn);
    callback(commit);
  });
}

Result<CommitTicket> Partition::apply(std::string_view logical_partition, Transaction& transaction, Commit& commit) {
  const LargeWrite large(store_, transaction.batch());
  std::lock_guard lock(sequencer_);
  if (retired_) return std::unexpected(*retired_);
  PartitionCounters after = counters_;
  commit.lsn = Lsn{counters_.lsn.value + 1};
  transaction.seal(commit.lsn, after);
  TRY(take_room(logical_partition, static_cast<int64_t>(after.record_bytes) - static_cast<int64_t>(counters_.record_bytes)));
  TRY_ASSIGN(const CommitTicket ticket, store_.apply(transaction.batch()));
  set_counters(after);
  if (watch_) watch_->note(commit.lsn, transaction.changed_numbers());
  applied_lsn_.store(after.lsn.value, std::memory_order_release);
  return ticket;
}

void Partition::when_durable(Lsn seen, std::move_only_function<void(Status)> callback) {
  if (is_durable(seen)) return callback({});
  CommitTicket ticket = 0;
  Lsn reached;
  {
    // A batch is visible a moment before it has its ticket; the sequencer's owner has finished both.
    std::lock_guard lock(sequencer_);
    ticket = store_.applied();
    reached = counters_.lsn;
  }
  when_reached(ticket, reached, std::move(callback));
}

void Partition::when_reached(CommitTicket ticket, Lsn reached, std::move_only_function<void(Status)> callback) {
  store_.when_durable(ticket, [this, self = shared_from_this(), reached, callback = std::move(callback)](Status durable) mutable {
    if (durable) note_durable(reached);
    callback(std::move(durable));
  });
}

void Partition::refresh_durable() {
  std::unique_lock lock(sequencer_, std::try_to_lock);
  if (!lock || is_durable(counters_.lsn)) return;
  const CommitTicket ticket = store_.applied();
  const Lsn reached = counters_.lsn;
  lock.unlock();
  when_reached(ticket, reached, [](const Status&) {});
}

Status Partition::when_changed(Lsn after, ChangeWaiterId waiter, const std::shared_ptr<DueChanges>& due) {
  TRY(change_waiters_.add(after, waiter, due));
  change_waiters_.note({durable_lsn_.load(std::memory_order_seq_cst)});
  return {};
}

void Partition::note_durable(Lsn lsn) {
  uint64_t known = durable_lsn_.load(std::memory_order_relaxed);
  while (known < lsn.value) {
    if (!durable_lsn_.compare_exchange_weak(known, lsn.value, std::memory_order_seq_cst)) continue;
    return change_waiters_.note(lsn);
  }
}

}  // namespace partita
