#include "query/optimise/representatives.h"

#include "query/optimise/path_expressions.h"

#include <algorithm>

namespace partita::query {
namespace {

// The path whose values alone a DISTINCT is about.
const Scalar* distinct_value(const Plan& plan) {
  return plan.is_distinct && !plan.grouping && plan.order.empty() ? &plan.projection : nullptr;
}

bool is_extreme(const Aggregate& aggregate) {
  return aggregate.kind == AggregateKind::kMin || aggregate.kind == AggregateKind::kMax;
}

// That of which a plan wants only the least or the greatest; the same in all aggregates.
const Scalar* extreme_value(const Plan& plan) {
  if (!plan.grouping || !plan.grouping->keys.empty() || plan.grouping->aggregates.empty()) return nullptr;
  if (!std::ranges::all_of(plan.grouping->aggregates, is_extreme)) return nullptr;
  return &plan.grouping->aggregates.front().argument;
}

std::optional<ValuePath> single_path(const PathExpressions& expressions, const Scalar& scalar) {
  auto place = expressions.find(scalar);
  if (!place || place->path.has_many_values()) return std::nullopt;
  return std::move(place->path);
}

// Whether documents with one value at the path all pass the filter, or all do not.
bool is_by_value_at(const Access& access, const ValuePath& path) {
  if (!access.is_exact) return false;
  return access.is_all() || (access.kind == Access::Kind::kValues && access.path == path && access.tests.empty());
}

}  // namespace

std::optional<Representatives> representatives_of(const Plan& plan, const Access& access, const IndexedPaths& indexed) {
  const bool is_scan = plan.sources.size() == 1 && plan.sources.front().kind == Source::Kind::kScan && !plan.ranking;
  if (!is_scan) return std::nullopt;
  const Scalar* distinct = distinct_value(plan);
  const Scalar* value = distinct != nullptr ? distinct : extreme_value(plan);
  if (value == nullptr) return std::nullopt;
  const PathExpressions expressions(plan.sources.front().slot);
  auto path = single_path(expressions, *value);
  if (!path || !indexed.is_indexed(*path) || !is_by_value_at(access, *path)) return std::nullopt;
  if (distinct == nullptr) {
    const bool is_one_path = std::ranges::all_of(plan.grouping->aggregates, [&](const Aggregate& aggregate) {
      return single_path(expressions, aggregate.argument) == path;
    });
    if (!is_one_path) return std::nullopt;
  }
  using Which = Representatives::Which;
  return Representatives{distinct != nullptr ? Which::kFirstOfEachValue : Which::kEndsOfEachType, std::move(*path),
                         access.is_all() ? std::vector{key_forms_of_defined()} : access.ranges};
}

}  // namespace partita::query
