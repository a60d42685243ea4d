#include "query/optimise/index_order.h"

#include "query/optimise/path_expressions.h"

namespace partita::query {

std::optional<IndexOrder> index_order_of(const Plan& plan, const IndexedPaths& indexed) {
  bool is_streaming = !plan.grouping && !plan.is_distinct && plan.order.size() == 1;
  if (!is_streaming || plan.sources.empty() || plan.sources.front().kind != Source::Kind::kScan) return std::nullopt;
  auto place = PathExpressions(plan.sources.front().slot).find(plan.order.front().scalar);
  if (!place || place->path.has_element_step() || !indexed.is_indexed(place->path)) return std::nullopt;
  return IndexOrder{std::move(place->path), plan.order.front().is_descending};
}

std::optional<KeyFormRange> range_at(const Access& access, const ValuePath& path) {
  if (access.kind == Access::Kind::kValues && access.path == path) {
    return KeyFormRange{access.ranges.front().from, access.ranges.back().to};
  }
  if (access.kind != Access::Kind::kAllOf) return std::nullopt;
  for (const Access& operand : access.operands) {
    if (auto range = range_at(operand, path)) return range;
  }
  return std::nullopt;
}

}  // namespace partita::query
