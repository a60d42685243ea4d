#include "query/optimise/representatives.h"

#include "query/optimise/path_expressions.h"

#include <algorithm>

namespace partita::query {
namespace {

// The path whose values alone a DISTINCT is about, in whatever order they come.
const Scalar* distinct_value(const Plan& plan) {
  if (!plan.is_distinct || plan.grouping) return nullptr;
  const std::string value = plan.order.empty() ? std::string() : to_text(plan.projection);
  const bool is_by_value = std::ranges::all_of(plan.order, [&](const SortKey& key) { return to_text(key.scalar) == value; });
  return is_by_value ? &plan.projection : nullptr;
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

bool has_any(const Plan& plan, AggregateKind kind) {
  return plan.grouping &&
         std::ranges::any_of(plan.grouping->aggregates, [kind](const Aggregate& aggregate) { return aggregate.kind == kind; });
}

bool is_repeatable(const Aggregate& aggregate) {
  return is_extreme(aggregate) || aggregate.kind == AggregateKind::kCount || aggregate.kind == AggregateKind::kCountIf;
}

// The only key of groups of which nothing is wanted that depends on more than one document of each and their number.
const Scalar* counted_value(const Plan& plan) {
  if (!plan.grouping || plan.grouping->keys.size() != 1) return nullptr;
  return std::ranges::all_of(plan.grouping->aggregates, is_repeatable) ? &plan.grouping->keys.front().scalar : nullptr;
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

// What the plan wants of the documents, and of which values.
struct Wanted {
  Representatives::Which which;
  const Scalar* value;
};

std::optional<Wanted> wanted_by(const Plan& plan) {
  using Which = Representatives::Which;
  if (const Scalar* value = distinct_value(plan)) return Wanted{Which::kFirstOfEachValue, value};
  if (const Scalar* value = extreme_value(plan)) return Wanted{Which::kEnds, value};
  if (const Scalar* value = counted_value(plan)) return Wanted{Which::kCountOfEachValue, value};
  return std::nullopt;
}

}  // namespace

std::string to_text(const Representatives& representatives) {
  const std::string path = to_text(representatives.path);
  switch (representatives.which) {
    case Representatives::Which::kFirstOfEachValue: return path + ", each value";
    case Representatives::Which::kEnds: return path + ", ends";
    case Representatives::Which::kCountOfEachValue: return path + ", count of each value";
  }
  return path;
}

std::optional<Representatives> representatives_of(const Plan& plan, const Access& access, const IndexedPaths& indexed) {
  const bool is_scan = plan.sources.size() == 1 && plan.sources.front().kind == Source::Kind::kScan && !plan.ranking;
  if (!is_scan) return std::nullopt;
  const std::optional<Wanted> wanted = wanted_by(plan);
  if (!wanted) return std::nullopt;
  const PathExpressions expressions(plan.sources.front().slot);
  auto path = single_path(expressions, *wanted->value);
  if (!path || !indexed.is_indexed(*path) || !is_by_value_at(access, *path)) return std::nullopt;
  const bool is_counted = wanted->which == Representatives::Which::kCountOfEachValue;
  const bool is_one_path = !plan.grouping || std::ranges::all_of(plan.grouping->aggregates, [&](const Aggregate& aggregate) {
    return (is_counted && aggregate.argument.is_constant()) || single_path(expressions, aggregate.argument) == path;
  });
  if (!is_one_path) return std::nullopt;
  return Representatives{.which = wanted->which,
                         .path = std::move(*path),
                         .ranges = access.is_all() ? std::vector{key_forms_of_defined()} : access.ranges,
                         .has_missing = is_counted && access.is_all(),
                         .has_least = has_any(plan, AggregateKind::kMin),
                         .has_greatest = has_any(plan, AggregateKind::kMax)};
}

}  // namespace partita::query
