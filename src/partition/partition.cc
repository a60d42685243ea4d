#include "partition/partition.h"

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
      meter_(clock, store.shared_memory()),
      predicate_cache_(store.shared_memory()),
      id_(id),
      range_(std::move(range)),
      epoch_(epoch),
      writers_(clock),
      index_(store, std::move(index), std::move(rules)),
      sequencer_(store, counters) {}

Slice Partition::slice() const {
  const PartitionIndex::Reading reading = index_.reading();
  return slice_of(reading.index, reading.time_to_live);
}

Slice Partition::slice_of(IndexId index, const TimeToLive& time_to_live) const {
  return Slice(store_, id_, index, {time_to_live, time_to_live.is_on() ? clock_.unix_seconds() : 0});
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
  TRY_ASSIGN(const bool is_dropped, sequencer_.drop_versions(id_, last, dropped_bytes));
  return is_dropped ? dropped : 0;
}

void Partition::hand_over() {
  writers_.hand_over();
  sequencer_.close_changes();
}

Partition::Growth Partition::growth_of(Index next, DocumentNumber filled_to) const {
  return {.index = std::move(next), .filled_to = filled_to, .until = counters().newest};
}

Result<bool> Partition::fill_index(IndexId growing) {
  const Pause pause = pause_writers();
  return index_.fill(growing, slice(), sequencer_);
}

void Partition::settle(Outcome outcome, CommitCallback callback) {
  const bool is_refused = !outcome.status && outcome.status.error().code == ErrorCode::kWouldWait;
  if (is_refused) return callback(std::unexpected(std::move(outcome.status).error()));  // it says nothing of what is stored
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
    sequencer_.note_durable(commit.lsn);
    callback(commit);
  });
}

void Partition::when_durable(Lsn seen, std::move_only_function<void(Status)> callback) {
  if (is_durable(seen)) return callback({});
  sequencer_.when_durable(seen, shared_from_this(), std::move(callback));
}

}  // namespace partita
