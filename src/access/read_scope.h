#pragma once

#include "document/key/partition_key.h"
#include "document/value.h"

#include <optional>

namespace partita {

// ReadScope: which documents of a partition a request is about: those whose hash lies in the range and, if there is a key, only
// those of the logical partitions that have it or begin with it. What it refers to outlives it.
struct ReadScope {
  const PartitionKeyDefinition& definition;
  const EffectiveKeyRange& range;
  const std::optional<PartitionKey>& key;
};

// Whether the outer range has all hashes of the inner one.
bool contains(const EffectiveKeyRange& outer, const EffectiveKeyRange& inner);

// ScopeTest: whether a document of a partition belongs to a scope, which the index knows only roughly.
class ScopeTest {
 public:
  ScopeTest(const ReadScope& scope, const EffectiveKeyRange& partition);

  // Whether the scope has all hashes of the partition.
  bool has_whole_partition() const { return has_whole_partition_; }
  bool passes(const Value& document) const;

 private:
  ReadScope scope_;
  bool has_whole_partition_;
  bool has_all_hashes_;  // that documents with the key, or all documents of the partition, may have
};

}  // namespace partita
