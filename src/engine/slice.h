#pragma once

#include "base/result.h"
#include "engine/rows.h"
#include "engine/time_to_live.h"
#include "storage/store.h"

#include <optional>
#include <string_view>

namespace partita {

// Which documents a reader sees: those that have not expired by a moment. By default all.
struct Visibility {
  TimeToLive time_to_live;
  int64_t now = 0;  // Unix seconds

  bool shows(const Value& document) const {
    return !time_to_live.is_on() || time_to_live.expiry_of(document).value_or(INT64_MAX) > now;
  }
};

// Slice: the rows of one partition in a store, for reading, at one moment. Thread-safe; a value as cheap as a few pointers.
//
// Where no snapshot is given, rows are read as they are now, or as they were in the snapshot of as_of().
class Slice {
 public:
  Slice(Store& store, PartitionId partition, IndexId index, Visibility visibility = {})
      : store_(&store), partition_(partition), index_(index), visibility_(visibility) {}

  // The same rows as they were then. The snapshot outlives it.
  Slice as_of(const Snapshot* snapshot) const {
    Slice then = *this;
    then.snapshot_ = snapshot;
    return then;
  }
  const Snapshot* snapshot() const { return snapshot_; }

  Store& store() const { return *store_; }
  PartitionId partition() const { return partition_; }
  IndexId index() const { return index_; }

  // By primary key, as item_key() made it.
  Result<std::optional<Item>> find(std::string_view item_key, const Snapshot* at = nullptr) const;
  Result<std::optional<Item>> load(DocumentNumber number, const Snapshot* at = nullptr) const;
  // Only the record, into memory that is used again. Also of a document that has expired. False when there is none.
  Result<bool> load_record(DocumentNumber number, std::string& record, const Snapshot* at = nullptr) const;
  // The same, as of a snapshot that has every write up to `shown`. What was not written since is read as it is now, which is
  // quick if it was read lately.
  Result<bool> load_record(DocumentNumber number, std::string& record, const Snapshot& at, Lsn shown) const;
  // find() and load() do not give documents that have expired; these do.
  Result<std::optional<Item>> find_stored(std::string_view item_key, const Snapshot* at = nullptr) const;
  Result<std::optional<Item>> load_stored(DocumentNumber number, const Snapshot* at = nullptr) const;
  const Visibility& visibility() const { return visibility_; }
  // For documents that a cursor shows.
  bool is_visible(const Value& document) const { return visibility_.shows(document); }
  Result<PartitionCounters> counters(const Snapshot* at = nullptr) const;

  // All rows of this partition in a family.
  Cursor cursor(Family family, const Snapshot* at = nullptr) const;
  // Documents with a number greater than `after`, in the order of insertion.
  Cursor items_after(DocumentNumber after, const Snapshot* at = nullptr) const;

  // Drops every row, the counters included.
  void erase_all(WriteBatch& batch) const;
  // A generation of an index, and how far it was built.
  static void erase_index(WriteBatch& batch, IndexId index);

 private:
  Store* store_;
  PartitionId partition_;
  IndexId index_;
  Visibility visibility_;
  const Snapshot* snapshot_ = nullptr;  // null: now
};

}  // namespace partita
