#pragma once

#include "access/pending_durability.h"
#include "base/result.h"
#include "engine/slice.h"
#include "engine/versions.h"
#include "partition/partition_client.h"
#include "storage/store.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace partita {

// ChangeCursor: the changes of one partition behind an LSN, in the order of their LSNs. Not thread-safe; it stands in front of
// the first one until next() is called.
class ChangeCursor {
 public:
  // To the next change, whose LSN it is; nothing at the end.
  Result<std::optional<Lsn>> next();

  // Of the change that next() came to. Of latest versions: the document as it is now; nothing when it has expired.
  Result<std::optional<Item>> item() const;
  // Of all versions: this one; and what the document was before, nothing when it is new or that is not kept any more.
  Result<ItemVersion> version() const;
  Result<std::optional<ItemVersion>> previous_of(const ItemVersion& version) const;

 private:
  friend class PartitionChanges;
  ChangeCursor(const Slice& slice, std::shared_ptr<const Snapshot> at, Family family, std::pair<Lsn, Lsn> bounds)
      : slice_(slice), at_(std::move(at)), rows_(slice_.cursor(family, at_.get())), after_(bounds.first), end_(bounds.second) {}

  Slice slice_;
  std::shared_ptr<const Snapshot> at_;
  Cursor rows_;
  Lsn after_;
  Lsn end_;
  bool has_begun_ = false;
};

// PartitionChanges: what was written and deleted in one partition, as it is at one moment. Not thread-safe.
class PartitionChanges {
 public:
  // `pending` is told when what it shows is not durable yet; while writes are refused it shows what became durable last, because
  // nothing newer will. kPartitionGone when the partition was split or merged so long ago that its rows were dropped.
  static Result<PartitionChanges> open(const PartitionPtr& partition, std::vector<PendingDurability>& pending);

  // Everything up to here is shown, and nothing newer.
  Lsn end() const { return end_; }
  // All versions are kept behind this one; 0 when none was dropped yet.
  Result<Lsn> versions_after() const;
  // The greatest LSN before the first change of this time (Unix seconds) or later, or a little earlier.
  Result<Lsn> before(int64_t seconds) const;

  // The newest version of each document that changed behind `after`, or everything that happened behind it.
  ChangeCursor latest(Lsn after) const { return {slice_, at_, Family::kChanges, {after, end_}}; }
  ChangeCursor all(Lsn after) const { return {slice_, at_, Family::kVersions, {after, end_}}; }

 private:
  PartitionChanges(const Slice& slice, std::shared_ptr<const Snapshot> at, Lsn end)
      : slice_(slice), at_(std::move(at)), end_(end) {}

  Slice slice_;
  std::shared_ptr<const Snapshot> at_;
  Lsn end_;
};

}  // namespace partita
