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

// Whether the container's time holds for the document, so that none that was written after it expires before it.
bool expires_in_order(const TimeToLive& time_to_live, const Value& document) {
  const int64_t written = document.find("_ts").integer().value_or(0);
  return time_to_live.expiry_of(document) == written + *time_to_live.default_seconds();
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
  std::map<PartitionId, Walk> before = std::exchange(walks_, {});  // those of partitions that are gone are forgotten
  for (const std::shared_ptr<const Database>& database : catalog_.databases()) {
    const Result<Catalog::Containers> containers = catalog_.containers(database->rid());
    if (!containers) continue;  // deleted meanwhile
    for (const std::shared_ptr<const Container>& container : *containers) {
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
  if (!time_to_live.is_on()) return 0;
  Walk& walk = walks_[place.partition->id()];
  if (walk.time_to_live != time_to_live) walk = {.time_to_live = time_to_live, .done = {}};
  const Slice slice = place.partition->local().slice();
  TRY_ASSIGN(const size_t by_expiry, reclaim_by_expiry(container, place, slice));
  if (*time_to_live.default_seconds() == kNeverExpires) return by_expiry;
  TRY_ASSIGN(const size_t by_age, reclaim_by_age(container, place, slice, walk));
  return by_expiry + by_age;
}

Result<size_t> Reclaimer::reclaim_by_expiry(const Container& container, const PartitionPlace& place, const Slice& slice) {
  const std::string end = expiry_key(place.partition->id(), slice.visibility().now + 1, DocumentNumber{0});
  Cursor cursor = slice.store().cursor(Family::kExpiry, partition_prefix(place.partition->id()), end);
  size_t removed = 0;
  for (cursor.seek_first(); cursor.valid() && may_remove(container, place, removed); cursor.next()) {
    TRY_ASSIGN(const std::optional<Item> item, slice.load_stored(trailing_number(cursor.key())));
    if (!item || slice.is_visible(item->document())) continue;
    erase_expired(container, place, *item);
    ++removed;
  }
  TRY(cursor.status());
  return removed;
}

Result<size_t> Reclaimer::reclaim_by_age(const Container& container, const PartitionPlace& place, const Slice& slice,
                                         Walk& walk) {
  Cursor cursor = slice.cursor(Family::kChanges);
  size_t removed = 0;
  cursor.seek(change_key(place.partition->id(), Lsn{walk.done.value + 1}, DocumentNumber{0}));
  for (; cursor.valid() && may_remove(container, place, removed); cursor.next()) {
    const Lsn lsn = lsn_of_change_key(cursor.key());
    TRY_ASSIGN(const std::optional<Item> item, slice.load_stored(trailing_number(cursor.key())));
    const bool is_current = item && item->lsn() == lsn;  // else it was written again meanwhile and comes later
    if (is_current && !slice.is_visible(item->document())) {
      erase_expired(container, place, *item);
      ++removed;
    } else if (is_current && expires_in_order(walk.time_to_live, item->document())) {
      break;
    }
    // Others of the same transaction may follow.
    walk.done = Lsn{lsn.value - 1};
  }
  TRY(cursor.status());
  return removed;
}

}  // namespace partita
