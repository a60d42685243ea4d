#include "partition/partition.h"

#include <functional>

namespace partita {

Result<std::shared_ptr<Partition>> Partition::open(Store& store, PartitionId id, EffectiveKeyRange range, Index index) {
  TRY_ASSIGN(const PartitionCounters counters, Slice(store, id, index.id).counters());
  return std::shared_ptr<Partition>(new Partition(store, id, std::move(range), std::move(index), counters));
}

Partition::Partition(Store& store, PartitionId id, EffectiveKeyRange range, Index index, PartitionCounters counters)
    : store_(store),
      id_(id),
      range_(std::move(range)),
      index_(std::move(index)),
      counters_(counters),
      applied_lsn_(counters.lsn.value),
      durable_lsn_(counters.lsn.value) {}

Partition::Index Partition::index() const {
  std::lock_guard lock(index_mutex_);
  return index_;
}

PartitionCounters Partition::counters() const {
  std::lock_guard lock(sequencer_);
  return counters_;
}

void Partition::retire() {
  std::lock_guard lock(sequencer_);
  is_retired_ = true;
}

Partition::Pause Partition::pause_writers() {
  Pause pause;
  for (std::mutex& latch : latches_) pause.emplace_back(latch);
  return pause;
}

Status Partition::build_index(const Index& next) {
  constexpr size_t kBatchBytes = 1 << 20;
  Cursor cursor = slice().cursor(Family::kItems);
  WriteBatch batch(store_);
  TermList terms;
  std::string key;
  for (cursor.seek_first(); cursor.valid(); cursor.next()) {
    TRY_ASSIGN(const Item item, item_from_record(trailing_number(cursor.key()), std::string(cursor.value())));
    collect_terms(item.document(), *next.policy, terms);
    for (size_t i = 0; i < terms.size(); ++i) {
      assign_index_key(key, next.id, terms[i], item.number);
      batch.put(Family::kIndex, key, {});
    }
    if (batch.bytes() > kBatchBytes) {
      TRY(store_.apply(batch));
      batch.clear();
    }
  }
  TRY(cursor.status());
  TRY(store_.apply(batch));
  return {};
}

void Partition::switch_index(Index next) {
  std::lock_guard lock(index_mutex_);
  index_ = std::move(next);
}

void Partition::reinstate() {
  std::lock_guard lock(sequencer_);
  is_retired_ = false;
}

std::mutex& Partition::latch_of(std::string_view logical_partition) {
  return latches_[std::hash<std::string_view>()(logical_partition) % kLatchStripes];
}

void Partition::transact(std::string_view logical_partition, const Body& body, CommitCallback callback) {
  Commit commit;
  CommitTicket ticket = 0;
  {
    std::lock_guard latch(latch_of(logical_partition));
    const Index current = index();
    Transaction transaction(Slice(store_, id_, current.id), *current.policy);
    Status outcome = body(transaction);
    if (outcome && !transaction.is_empty()) {
      transaction.prepare();
      commit.index_terms_changed = transaction.index_terms_changed();
      Result<CommitTicket> applied = apply_in_sequence(transaction, commit);
      if (applied) {
        ticket = *applied;
      } else {
        outcome = std::unexpected(std::move(applied).error());
      }
    }
    if (!outcome || ticket == 0) {
      const Lsn seen = applied_lsn();
      commit.lsn = seen;
      when_durable(seen, [commit, outcome = std::move(outcome), callback = std::move(callback)](Status durable) mutable {
        // Not even the error may be told while what it was based on can still be lost.
        if (!durable) return callback(std::unexpected(std::move(durable).error()));
        if (!outcome) return callback(std::unexpected(std::move(outcome).error()));
        callback(commit);
      });
      return;
    }
  }
  store_.when_durable(ticket, [this, self = shared_from_this(), commit, callback = std::move(callback)](Status durable) mutable {
    if (!durable) return callback(std::unexpected(std::move(durable).error()));
    note_durable(commit.lsn);
    callback(commit);
  });
}

Result<CommitTicket> Partition::apply_in_sequence(Transaction& transaction, Commit& commit) {
  std::lock_guard lock(sequencer_);
  if (is_retired_) return fail(ErrorCode::kOwnerNotFound, "the container of this document was deleted");
  PartitionCounters after = counters_;
  commit.lsn = Lsn{counters_.lsn.value + 1};
  transaction.seal(commit.lsn, after);
  TRY_ASSIGN(const CommitTicket ticket, store_.apply(transaction.batch()));
  counters_ = after;
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
  store_.when_durable(ticket, [this, self = shared_from_this(), reached, callback = std::move(callback)](Status durable) mutable {
    if (durable) note_durable(reached);
    callback(std::move(durable));
  });
}

void Partition::note_durable(Lsn lsn) {
  uint64_t known = durable_lsn_.load(std::memory_order_relaxed);
  while (known < lsn.value && !durable_lsn_.compare_exchange_weak(known, lsn.value, std::memory_order_release)) {
  }
}

}  // namespace partita
