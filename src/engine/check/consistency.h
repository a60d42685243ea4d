#pragma once

#include "base/result.h"
#include "document/key/partition_key.h"
#include "engine/index/indexing_policy.h"
#include "engine/slice.h"
#include "engine/unique_keys.h"

#include <string>
#include <vector>

namespace partita {

struct ConsistencyReport {
  PartitionCounters counted;
  uint64_t index_entries = 0;
  uint64_t faults = 0;
  std::vector<std::string> messages;  // the first kFaultMessagesMax of them

  void add(std::string message);
};
inline constexpr size_t kFaultMessagesMax = 100;

// Compares all rows of a partition with each other: documents, primary keys, unique values, expiries, index entries, change
// records, attachments, counters, and whether every document decodes and lies within the partition's range of hashes. An error
// only when reading itself fails.
Result<ConsistencyReport> check_consistency(const Slice& slice, const PartitionKeyDefinition& partition_key,
                                            const EffectiveKeyRange& range, const IndexingPolicy& policy,
                                            const UniqueKeys& unique_keys = {});

// A generation of the index that is being built: each of its entries belongs to a document, and documents up to `filled_to` have
// all of theirs.
Result<ConsistencyReport> check_growing_index(const Slice& slice, IndexId growing, const IndexingPolicy& policy,
                                              DocumentNumber filled_to);

}  // namespace partita
