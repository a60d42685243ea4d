#pragma once

#include "access/pending_durability.h"
#include "base/result.h"
#include "engine/slice.h"
#include "partition/partition_client.h"
#include "partition/predicate_cache.h"
#include "storage/store.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace partita {

// PartitionView: one partition as it is at one moment, with the index that belongs to it.
struct PartitionView {
  PartitionPtr partition;
  Slice slice;
  Partition::Index index;
  std::shared_ptr<const Snapshot> at;
  uint64_t documents;     // about how many there are
  DocumentNumber newest;  // none has a number above it
  Lsn lsn;                // nothing in the view, deletions included, is newer
  Lsn shown;              // everything that is not newer is in the view

  // Adds the partition to `pending` when what the view shows is not durable yet. While writes are refused it shows what became
  // durable last, because nothing newer will.
  static PartitionView of(const PartitionPtr& partition, std::vector<PendingDurability>& pending);
  // Whether what was found out in another view holds in this one, too: nothing was written between the two.
  bool shows_as_much_as(const PredicateCache::Matches& known) const { return known.lsn <= shown && known.shown >= lsn; }
  // kPartitionGone when the view is of what is left of a partition that was split or merged long ago.
  Status check_current() const { return partition->check_current(); }
  // The record, or nothing when its document has expired.
  std::string_view visible(std::string_view record) const;
};

// RecordLoader: single documents of a view, by their numbers, as far as they have not expired or also those.
//
// The first ones are read by way of the rows that the store has read lately; very many would drive out of there what others read
// again. Not thread-safe.
class RecordLoader {
 public:
  // Both are empty when there is none, and valid until the next call.
  Result<std::string_view> load(const PartitionView& view, DocumentNumber number);
  Result<std::string_view> load_stored(const PartitionView& view, DocumentNumber number);

 private:
  uint64_t loads_ = 0;
  std::string record_;
};

}  // namespace partita
