#pragma once

#include "document/key/partition_key.h"
#include "query/plan/plan.h"
#include "query/synthetic/synthetic_key.h"

#include <optional>
#include <vector>

namespace partita {

// NarrowedScope: where a plan can find documents, by what its filter says about the partition key.
struct NarrowedScope {
  std::optional<EffectiveKeyRange> range;  // nothing: everywhere; empty: nowhere
  std::optional<PartitionKey> key;         // the only one
  bool has_several_keys = false;           // so that several partitions may have to be read
  // Of each key, or prefix of keys; empty everywhere and nowhere.
  std::vector<EffectiveKeyRange> key_ranges = {};
};
NarrowedScope narrow_by_key(const query::Plan& plan, const PartitionKeyDefinition& definition,
                            const query::SyntheticKey* synthetic = nullptr);

}  // namespace partita
