#pragma once

#include "base/result.h"
#include "document/key/partition_key.h"
#include "engine/slice.h"

#include <bitset>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace partita {

// RowCopy: copies all rows that a snapshot has of a partition into one other or two, each document's to where its hash belongs,
// by sorted ingest; the targets are in one store, the source's or another. Rows stay as they are but for the numbers of partition
// and index that their keys begin with. Not thread-safe.
class RowCopy {
 public:
  struct Target {
    Slice slice;
    EffectiveKeyRange range;
    PartitionCounters counters;  // of what was copied; without LSN
  };
  // Called after every few rows; a failure ends the copy.
  using Pace = std::function<Status()>;

  // Targets have no rows of the source's documents yet.
  RowCopy(const Slice& source, const Snapshot& at, const PartitionKeyDefinition& key, std::vector<Target> targets, Pace pace);

  // What was copied becomes visible at its end, or nothing.
  Status run();
  const std::vector<Target>& targets() const { return targets_; }
  // Of the newest version that was copied.
  Lsn versions_until() const { return versions_until_; }

 private:
  static constexpr size_t kTargetsMax = 2;
  static constexpr size_t kChunk = 256;
  // Of as many consecutive document numbers: which there are, and which go to the second target.
  struct Chunk {
    std::bitset<kChunk> is_known;
    std::bitset<kChunk> is_second;
  };

  Status copy_items();
  Status copy_family(Family family);
  Result<size_t> target_for(Family family, std::string_view key, std::string_view value);
  Result<size_t> target_of_attachment(std::string_view key, std::string_view value);
  Result<size_t> target_of(const Value& document) const;
  void assign(DocumentNumber number, size_t target);
  Result<size_t> assigned(DocumentNumber number) const;
  std::vector<SortedRows> begin(Family family) const;
  Status add(std::vector<SortedRows>& rows, Family family, size_t target, const Cursor& cursor);

  const Slice source_;
  const Snapshot& at_;
  const PartitionKeyDefinition& key_;
  std::vector<Target> targets_;
  const Pace pace_;
  Lsn versions_until_;
  std::vector<SortedRows> finished_;
  std::unordered_map<uint64_t, Chunk> chunks_;  // by number / kChunk; unused with a single target
  std::string new_key_;
  size_t bytes_since_pace_ = 0;
};

}  // namespace partita
