#include "gateway/query/narrowed_scope.h"

#include "query/distribute/key_filter.h"

#include <algorithm>

namespace partita {
namespace {

// The least range with all of these.
EffectiveKeyRange hull_of(const std::vector<EffectiveKeyRange>& ranges) {
  EffectiveKeyRange hull = ranges.front();
  for (const EffectiveKeyRange& range : ranges) hull = {std::min(hull.min, range.min), std::max(hull.max, range.max)};
  return hull;
}

}  // namespace

NarrowedScope narrow_by_key(const query::Plan& plan, const PartitionKeyDefinition& definition,
                            const query::SyntheticKey* synthetic) {
  const query::KeyFilter filter = query::key_filter_of(plan, definition, synthetic);
  if (filter.is_all) return {.range = std::nullopt, .key = std::nullopt, .has_several_keys = true};
  if (filter.keys.empty()) return {.range = EffectiveKeyRange{kEffectiveKeyMin, kEffectiveKeyMin}, .key = std::nullopt};
  NarrowedScope scope;
  for (const PartitionKey& key : filter.keys) scope.key_ranges.push_back(range_of_prefix(key, definition));
  scope.range = hull_of(scope.key_ranges);
  scope.has_several_keys = filter.keys.size() > 1;
  if (!scope.has_several_keys) scope.key = filter.keys.front();
  return scope;
}

}  // namespace partita
