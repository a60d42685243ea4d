#include "query/optimise/predicates/plan_predicates.h"

#include "query/optimise/path_expressions.h"
#include "query/optimise/vector_order.h"

#include <algorithm>

namespace partita::query {
namespace {

// More are not told: nobody reads them.
constexpr size_t kSinglesMax = 100;

void collect(const Access& access, std::vector<PlanPredicates::Single>& singles) {
  if (access.kind == Access::Kind::kValues && singles.size() < kSinglesMax) {
    PlanPredicates::Single predicate{access.path, to_text(access), access.is_exact};
    if (std::ranges::find(singles, predicate) == singles.end()) singles.push_back(std::move(predicate));
  }
  for (const Access& operand : access.operands) collect(operand, singles);
}

}  // namespace

PlanPredicates filter_predicates(const Plan& plan, const IndexedPaths& indexed) {
  PlanPredicates predicates;
  collect(access_of(plan, indexed), predicates.singles);
  return predicates;
}

PlanPredicates order_predicates(const Plan& plan) {
  if (plan.sources.empty() || plan.sources.front().kind != Source::Kind::kScan) return {};
  if (auto vectors = vector_order_of(plan, AllPaths())) {
    const ValuePath path = vectors->path.vector();
    return {.singles = {{path, to_text(path) + " by distance", true}}, .composites = {}};
  }
  PathExpressions paths(plan.sources.front().slot);
  PlanPredicates predicates;
  PlanPredicates::Composite composite;
  for (const SortKey& key : plan.order) {
    const std::optional<PathExpressions::Place> place = paths.find(key.scalar);
    if (!place || place->path.has_many_values()) return {};
    composite.push_back(to_text(place->path) + (key.is_descending ? " DESC" : " ASC"));
    if (plan.order.size() == 1) predicates.singles.push_back({place->path, to_text(place->path) + " in order", true});
  }
  if (composite.size() > 1) predicates.composites.push_back(std::move(composite));
  return predicates;
}

std::string index_text(const ValuePath& path) {
  switch (path.kind()) {
    case ValuePath::Step::Kind::kCells: return to_text(path.source()) + "/*";
    case ValuePath::Step::Kind::kWords:
    case ValuePath::Step::Kind::kVector: return to_text(path.source());
    default: return to_text(path) + "/?";
  }
}

}  // namespace partita::query
