#include "gateway/query/narrowed_scope.h"

#include "query/distribute/key_filter.h"

#include <algorithm>
#include <vector>

namespace partita {
namespace {

// The least range with the hashes of all these keys.
EffectiveKeyRange hull_of(const std::vector<PartitionKey>& keys, const PartitionKeyDefinition& definition) {
  EffectiveKeyRange hull = range_of_prefix(keys.front(), definition);
  for (const PartitionKey& key : keys) {
    const EffectiveKeyRange range = range_of_prefix(key, definition);
    hull = {std::min(hull.min, range.min), std::max(hull.max, range.max)};
  }
  return hull;
}

}  // namespace

NarrowedScope narrow_by_key(const query::Plan& plan, const PartitionKeyDefinition& definition,
                            const query::SyntheticKey* synthetic) {
  const query::KeyFilter filter = query::key_filter_of(plan, definition, synthetic);
  if (filter.is_all) return {.range = std::nullopt, .key = std::nullopt, .has_several_keys = true};
  if (filter.keys.empty()) return {.range = EffectiveKeyRange{kEffectiveKeyMin, kEffectiveKeyMin}, .key = std::nullopt};
  NarrowedScope scope{.range = hull_of(filter.keys, definition),
                      .key = std::nullopt,
                      .has_several_keys = filter.keys.size() > 1,
                      .key_values = filter.keys.size()};
  if (!scope.has_several_keys) scope.key = filter.keys.front();
  return scope;
}

}  // namespace partita
