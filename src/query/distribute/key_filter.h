#pragma once

#include "document/key/partition_key.h"
#include "query/plan/plan.h"
#include "query/synthetic/synthetic_key.h"

#include <optional>
#include <vector>

namespace partita::query {

// How many key values a filter on the sources of a synthetic key may stand for; where there are more, it stands for all.
inline constexpr size_t kSyntheticKeysMax = 1'000;

// KeyFilter: the logical partitions that a plan can find documents in. Never too few; sometimes too many.
struct KeyFilter {
  bool is_all = true;              // any; then keys is empty
  std::vector<PartitionKey> keys;  // else these, without repetition; with a hierarchical key they may be prefixes

  bool operator==(const KeyFilter&) const = default;
};

// Derives the filter from what the plan demands of the partition key's paths: equality, IN, truth, type checks that leave few
// values, patterns without wildcard, and conjunctions and disjunctions of those. A plan that reads no documents has no keys.
// What it demands of the sources of a synthetic key (null: there is none) counts as well.
KeyFilter key_filter_of(const Plan& plan, const PartitionKeyDefinition& definition, const SyntheticKey* synthetic = nullptr);

}  // namespace partita::query
