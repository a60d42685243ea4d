#include "gateway/query/query_advice.h"

#include "access/index/policy_paths.h"

#include <algorithm>
#include <array>

namespace partita {
namespace {

std::vector<std::string> texts_of(const CompositeIndex& index, bool reversed) {
  std::vector<std::string> texts;
  for (const CompositeIndex::Part& part : index.parts) {
    texts.push_back(to_text(ValuePath{part.path.steps}) + (part.is_descending != reversed ? " DESC" : " ASC"));
  }
  return texts;
}

bool has_composite(const IndexingPolicy& policy, const query::PlanPredicates::Composite& wanted) {
  return std::ranges::any_of(policy.composite_indexes(), [&](const CompositeIndex& index) {
    return texts_of(index, false) == wanted || texts_of(index, true) == wanted;
  });
}

// That of the index which queries read: while the indexes of a new policy are being built, the former one.
std::shared_ptr<const IndexingPolicy> policy_in_use(const Container& container) {
  const auto growing =
      std::ranges::find_if(container.places, [](const PartitionPlace& place) { return place.partition->index_progress() < 1; });
  return (growing == container.places.end() ? container.places.front() : *growing).partition->index_policy();
}

// What the key demands, besides what the filter does.
void add_key(query::PlanPredicates& used, const PartitionKeyDefinition& definition, const PartitionKey& key) {
  for (size_t i = 0; i < std::min(key.components.size(), definition.paths.size()); ++i) {
    const ValuePath path = ValuePath::of(definition.paths[i].segments);
    const auto known = std::ranges::find(used.singles, path, &query::PlanPredicates::Single::path);
    if (known == used.singles.end()) used.singles.push_back({.path = path, .text = "", .is_exact = true});
  }
}

}  // namespace

QueryAdvice advice_on(const query::Plan& plan, const QueryPage& page, const Container& container,
                      const std::optional<PartitionKey>& key) {
  const std::shared_ptr<const IndexingPolicy> used = policy_in_use(container);
  const IndexingPolicy& wanted = *container.definition.indexing;
  QueryAdvice advice;
  if (page.access != "scan") {
    advice.used = query::filter_predicates(plan, PolicyPaths(*used));
    if (key) add_key(advice.used, container.definition.partition_key, *key);
  }
  for (query::PlanPredicates& predicates :
       std::array{query::filter_predicates(plan, query::AllPaths()), query::order_predicates(plan)}) {
    for (query::PlanPredicates::Single& single : predicates.singles) {
      if (PolicyPaths(*used).is_indexed(single.path)) continue;
      (PolicyPaths(wanted).is_indexed(single.path) ? advice.growing : advice.missing).singles.push_back(std::move(single));
    }
    for (query::PlanPredicates::Composite& composite : predicates.composites) {
      if (has_composite(*used, composite)) continue;
      (has_composite(wanted, composite) ? advice.growing : advice.missing).composites.push_back(std::move(composite));
    }
  }
  return advice;
}

Status check_order(const query::Plan& plan, const IndexingPolicy& policy) {
  const query::PlanPredicates predicates = query::order_predicates(plan);
  const auto is_excluded = [&](const query::PlanPredicates::Single& single) {
    const bool is_value = !single.path.steps.empty() && single.path.kind() != ValuePath::Step::Kind::kVector;
    return is_value && !PolicyPaths(policy).is_indexed(single.path);
  };
  if (std::ranges::any_of(predicates.singles, is_excluded)) {
    return fail(ErrorCode::kInvalidQuery,
                R"({"Errors":["The index path corresponding to the specified order-by item is excluded."]})");
  }
  const auto is_missing = [&](const query::PlanPredicates::Composite& composite) { return !has_composite(policy, composite); };
  if (std::ranges::any_of(predicates.composites, is_missing)) {
    return fail(ErrorCode::kInvalidQuery,
                R"({"Errors":["The order by query does not have a corresponding composite index that it can be served from."]})");
  }
  return {};
}

}  // namespace partita
