#include "access/expired_documents.h"

#include <optional>
#include <string>

namespace partita {
namespace {

// Whether the container's time holds for the document, so that none that was written after it expires before it.
bool expires_in_order(const TimeToLive& time_to_live, const Item& item) {
  return time_to_live.expiry_of(item.document()) == item.view().written_seconds() + *time_to_live.default_seconds();
}

// Whether there may be more to visit.
Result<bool> visit_by_expiry(const Slice& slice, const std::function<bool(const Item&)>& visit) {
  const PartitionId partition = slice.partition();
  const std::string end = expiry_key(partition, slice.visibility().now + 1, DocumentNumber{0});
  Cursor cursor = slice.store().cursor(Family::kExpiry, partition_prefix(partition), end);
  for (cursor.seek_first(); cursor.valid(); cursor.next()) {
    TRY_ASSIGN(const std::optional<Item> item, slice.load_stored(trailing_number(cursor.key())));
    if (!item || slice.is_visible(item->document())) continue;
    if (!visit(*item)) return false;
  }
  TRY(cursor.status());
  return true;
}

Status visit_by_age(const Slice& slice, ExpiryWalk& walk, const std::function<bool(const Item&)>& visit) {
  Cursor cursor = slice.cursor(Family::kChanges);
  for (cursor.seek(change_key(slice.partition(), Lsn{walk.done.value + 1}, DocumentNumber{0})); cursor.valid(); cursor.next()) {
    const Lsn lsn = lsn_of_change_key(cursor.key());
    TRY_ASSIGN(const std::optional<Item> item, slice.load_stored(trailing_number(cursor.key())));
    const bool is_current = item && item->lsn() == lsn;  // else it was written again meanwhile and comes later
    bool goes_on = true;
    if (is_current && !slice.is_visible(item->document())) {
      goes_on = visit(*item);
    } else if (is_current && expires_in_order(walk.time_to_live, *item)) {
      return {};
    }
    // Others of the same transaction may follow.
    walk.done = Lsn{lsn.value - 1};
    if (!goes_on) return {};
  }
  return cursor.status();
}

}  // namespace

Status visit_expired(const PartitionClient& partition, ExpiryWalk& walk, const std::function<bool(const Item&)>& visit) {
  const Slice slice = partition.local().slice();
  TRY_ASSIGN(const bool goes_on, visit_by_expiry(slice, visit));
  if (!goes_on || *walk.time_to_live.default_seconds() == kNeverExpires) return {};
  return visit_by_age(slice, walk, visit);
}

}  // namespace partita
