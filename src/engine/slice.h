#pragma once

#include "base/result.h"
#include "engine/rows.h"
#include "storage/store.h"

#include <optional>
#include <string_view>

namespace partita {

// Slice: the rows of one partition in a store, for reading. Thread-safe; a value as cheap as a pointer.
class Slice {
 public:
  Slice(Store& store, PartitionId partition, IndexId index) : store_(&store), partition_(partition), index_(index) {}

  Store& store() const { return *store_; }
  PartitionId partition() const { return partition_; }
  IndexId index() const { return index_; }

  // By primary key, as item_key() made it.
  Result<std::optional<Item>> find(std::string_view item_key, const Snapshot* at = nullptr) const;
  Result<std::optional<Item>> load(DocumentNumber number, const Snapshot* at = nullptr) const;
  // Only the record, into memory that is used again. False when there is no such document.
  Result<bool> load_record(DocumentNumber number, std::string& record, const Snapshot* at = nullptr) const;
  Result<PartitionCounters> counters(const Snapshot* at = nullptr) const;

  // All rows of this partition in a family.
  Cursor cursor(Family family, const Snapshot* at = nullptr) const;
  // Documents with a number greater than `after`, in the order of insertion.
  Cursor items_after(DocumentNumber after, const Snapshot* at = nullptr) const;

  // Drops every row, the counters included.
  void erase_all(WriteBatch& batch) const;
  static void erase_index(WriteBatch& batch, IndexId index);

 private:
  Store* store_;
  PartitionId partition_;
  IndexId index_;
};

}  // namespace partita
