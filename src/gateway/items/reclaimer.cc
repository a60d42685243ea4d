#include "gateway/items/reclaimer.h"

#include "gateway/items/location.h"

#include <utility>

namespace partita {
namespace {

constexpr int64_t kSecondsPerMinute = 60;

// Of a removal: what clients may cause (a split, a deletion, a crowd) is not one, the next round comes there again.
bool is_failure(const Result<Partition::Commit>& commit) {
  if (commit) return false;
  const ErrorCode code = commit.error().code;
  return code == ErrorCode::kStorageFailure || code == ErrorCode::kCorruption || code == ErrorCode::kInternal;
}

}  // namespace

// Nobody waits for it: what is lost in a crash is removed again later.
void Reclaimer::erase_expired(const Container& container, const PartitionPlace& place, const Item& item) const {
  const PartitionKey key = PartitionKey::of(item.document(), container.definition.partition_key);
  const Location at = locate(container, key, item.id());
  at.place->partition->transact(
      at.logical_partition, [item_key = at.item_key](Transaction& transaction) { return transaction.erase_expired(item_key); },
      [failures = catalog_.failures(), subject = place.name_in(container)](const Result<Partition::Commit>& commit) {
        failures->note(background::kRemoveExpired, subject,
                       is_failure(commit) ? Status(std::unexpected(commit.error())) : Status());
      },
      Priority::kBackground);
}

// Only with what clients leave of the partition's budget, and where it works.
bool Reclaimer::may_remove(const Container& container, const PartitionPlace& place, size_t removed) const {
  return removed < kReclaimedPerRoundMax && place.partition->has_leftover() &&
         catalog_.failures()->is_due(background::kRemoveExpired, place.name_in(container));
}

Result<size_t> Reclaimer::run_round() {
  size_t removed = 0;
  Status outcome;
  std::map<PartitionId, ExpiryWalk> before = std::exchange(walks_, {});  // those of partitions that are gone are forgotten
  for (const std::shared_ptr<const Container>& container : catalog_.containers()) {
    for (const PartitionPlace& place : container->places) {
      if (auto walk = before.extract(place.partition->id())) walks_.insert(std::move(walk));
      const Status done = catalog_.failures()->attempt(background::kReclaim, place.name_in(*container), [&]() -> Status {
        TRY_ASSIGN(const size_t versions, drop_versions(*container, *place.partition));
        TRY_ASSIGN(const size_t documents, reclaim(*container, place));
        removed += versions + documents;
        return {};
      });
      if (!done && outcome) outcome = done;
    }
  }
  if (removed == 0 && !outcome) return std::unexpected(outcome.error());
  return removed;
}

Result<size_t> Reclaimer::drop_versions(const Container& container, const PartitionClient& partition) const {
  const PartitionCounters counters = partition.counters();
  if (counters.versions_after == counters.lsn) return 0;  // there are none
  const VersionRetention& versions = container.definition.rules->versions;
  return partition.drop_versions(versions.is_on() ? clock_.unix_seconds() - versions.minutes * kSecondsPerMinute : INT64_MAX);
}

Result<size_t> Reclaimer::reclaim(const Container& container, const PartitionPlace& place) {
  const TimeToLive& time_to_live = container.definition.rules->time_to_live;
  if (!time_to_live.is_on() || !may_remove(container, place, 0)) return 0;
  ExpiryWalk& walk = walks_[place.partition->id()];
  if (walk.time_to_live != time_to_live) walk = {.time_to_live = time_to_live, .done = {}};
  size_t removed = 0;
  TRY(visit_expired(*place.partition, walk, [&](const Item& item) {
    erase_expired(container, place, item);
    return may_remove(container, place, ++removed);
  }));
  return removed;
}

}  // namespace partita
