#include "access/partition_changes.h"

#include <algorithm>
#include <string>

namespace partita {
namespace {

// Times are taken before LSNs are given, so they may be out of order by about as long as a write waits.
constexpr int64_t kTimeDisorderSeconds = 60;

}  // namespace

Result<std::optional<Lsn>> ChangeCursor::next() {
  if (has_begun_) {
    rows_.next();
  } else {
    rows_.seek(change_key(slice_.partition(), Lsn{after_.value + 1}, DocumentNumber{0}));
    has_begun_ = true;
  }
  if (!rows_.valid()) {
    TRY(rows_.status());
    return std::nullopt;
  }
  const Lsn lsn = lsn_of_change_key(rows_.key());
  if (lsn.value == 0) return fail(ErrorCode::kCorruption, "a row of the change feed has a key that names no write");
  if (lsn > end_) return std::nullopt;
  return lsn;
}

Result<std::optional<Item>> ChangeCursor::item() const { return slice_.load(trailing_number(rows_.key()), at_.get()); }

Result<ItemVersion> ChangeCursor::version() const { return version_from_row(rows_.key(), rows_.value()); }

Result<std::optional<ItemVersion>> ChangeCursor::previous_of(const ItemVersion& version) const {
  if (version.kind() == VersionKind::kErased) return version;  // its record is what was erased
  if (version.kind() == VersionKind::kCreated) return std::nullopt;
  const std::string key = change_key(slice_.partition(), version.previous(), version.number);
  std::string record;
  TRY_ASSIGN(const bool is_kept, slice_.store().get(Family::kVersions, key, record, at_.get()));
  if (!is_kept) return std::nullopt;
  TRY_ASSIGN(ItemVersion previous, version_from_row(key, record));
  return previous;
}

Result<PartitionChanges> PartitionChanges::open(const PartitionPtr& partition, std::vector<PendingDurability>& pending) {
  const Slice slice = partition->local().slice();
  std::shared_ptr<const Snapshot> at = slice.store().durable_snapshot();  // only while writes are refused
  Lsn end;
  if (at) {
    TRY_ASSIGN(const PartitionCounters counters, slice.counters(at.get()));
    end = counters.lsn;
  } else {
    end = partition->counters().lsn;  // everything up to it is in a snapshot that is taken after it
    at = slice.store().snapshot();
    if (!partition->is_durable(end)) pending.push_back({partition, end});
  }
  TRY(partition->check_current());
  return PartitionChanges(slice, std::move(at), end);
}

Result<Lsn> PartitionChanges::versions_after() const {
  TRY_ASSIGN(const PartitionCounters counters, slice_.counters(at_.get()));
  return counters.versions_after;
}

// By halving, because times grow with LSNs, about.
Result<Lsn> PartitionChanges::before(int64_t seconds) const {
  Cursor cursor = slice_.cursor(Family::kChanges, at_.get());
  uint64_t low = 0;  // everything up to here is older
  uint64_t high = end_.value;
  while (low < high) {
    const uint64_t middle = low + (high - low) / 2;
    cursor.seek(change_key(slice_.partition(), Lsn{middle + 1}, DocumentNumber{0}));
    if (!cursor.valid()) {
      TRY(cursor.status());
      high = middle;
      continue;
    }
    TRY_ASSIGN(const std::optional<Item> item, slice_.load(trailing_number(cursor.key()), at_.get()));
    if (item && item->view().written_seconds() < seconds - kTimeDisorderSeconds) {
      low = std::max(middle + 1, lsn_of_change_key(cursor.key()).value);
    } else {
      high = middle;
    }
  }
  return Lsn{std::min(low, end_.value)};
}

}  // namespace partita
