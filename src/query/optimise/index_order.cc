#include "query/optimise/index_order.h"

#include "query/optimise/path_expressions.h"

#include <algorithm>

namespace partita::query {

namespace {

// Nothing when one of the keys is no path with at most one value.
std::optional<std::vector<OrderedPath>> paths_of(const Plan& plan) {
  const PathExpressions expressions(plan.sources.front().slot);
  std::vector<OrderedPath> paths;
  for (const SortKey& key : plan.order) {
    auto place = expressions.find(key.scalar);
    if (!place || place->path.has_many_values()) return std::nullopt;
    paths.push_back({std::move(place->path), key.is_descending});
  }
  return paths;
}

}  // namespace

std::optional<IndexOrder> index_order_of(const Plan& plan, const Access& access, const IndexedPaths& indexed) {
  bool is_streaming = !plan.grouping && !plan.is_distinct && !plan.order.empty();
  if (!is_streaming || plan.sources.empty() || plan.sources.front().kind != Source::Kind::kScan) return std::nullopt;
  auto paths = paths_of(plan);
  if (!paths) return std::nullopt;
  const bool is_descending = paths->front().is_descending;
  if (auto composite = indexed.composite(*paths, fixed_paths(access))) {
    return IndexOrder{std::move(composite->path), is_descending, std::move(*paths), std::move(composite->fixed),
                      std::move(composite->prefix)};
  }
  if (paths->size() > 1 || !indexed.is_indexed(paths->front().path)) return std::nullopt;
  return IndexOrder{std::move(paths->front().path), is_descending};
}

bool covers(const IndexOrder& order, const Access& access) {
  if (access.kind == Access::Kind::kAllOf) {
    return std::ranges::all_of(access.operands, [&](const Access& operand) { return covers(order, operand); });
  }
  if (access.is_all()) return true;
  if (access.kind != Access::Kind::kValues || access.ranges.size() > 1 || !access.tests.empty()) return false;
  return access.path == order.leading() || std::ranges::find(order.fixed, access.path) != order.fixed.end();
}

std::string to_text(const IndexOrder& order) {
  if (!order.is_composite()) return to_text(order.path) + (order.is_descending ? " DESC" : "");
  std::string text;
  for (const ValuePath& path : order.fixed) text += (text.empty() ? "" : ", ") + to_text(path) + " =";
  for (const OrderedPath& part : order.parts) {
    text += (text.empty() ? "" : ", ") + to_text(part.path) + (part.is_descending ? " DESC" : "");
  }
  return text;
}

std::optional<KeyFormRange> range_of(const Access& access, const IndexOrder& order) {
  if (!order.is_composite()) return range_at(access, order.path);
  return range_at(access, order.leading()).value_or(KeyFormRange{"", "\xFF"});
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
