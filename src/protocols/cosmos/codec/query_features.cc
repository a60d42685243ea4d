#include "protocols/cosmos/codec/query_features.h"

#include "query/distribute/hybrid_search.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ranges>
#include <string>
#include <vector>

namespace partita::cosmos {
namespace {

using query::AggregateKind;

std::vector<AggregateKind> aggregates_of(const query::DistributedQuery& plan) {
  std::vector<AggregateKind> kinds = plan.aggregates;
  for (const auto& output : plan.group_outputs) {
    if (output.aggregate != AggregateKind::kNone) kinds.push_back(output.aggregate);
  }
  return kinds;
}

void add_aggregates(std::vector<std::string_view>& needed, const query::DistributedQuery& plan) {
  const std::vector<AggregateKind> kinds = aggregates_of(plan);
  if (kinds.empty()) return;
  if (kinds.size() > 1) needed.emplace_back("MultipleAggregates");
  needed.emplace_back(kinds.size() == 1 && plan.has_select_value ? "Aggregate" : "NonValueAggregate");
}

std::vector<std::string_view> needed_by(const query::DistributedQuery& plan) {
  std::vector<std::string_view> needed;
  if (plan.hybrid) {
    needed.emplace_back("HybridSearch");
    if (!plan.hybrid->weights.empty()) needed.emplace_back("WeightedRankFusion");
    return needed;
  }
  if (plan.distinct != query::DistributedQuery::Distinct::kNone) needed.emplace_back("Distinct");
  if (!plan.group_by_expressions.empty()) needed.emplace_back("GroupBy");
  add_aggregates(needed, plan);
  if (plan.offset || plan.limit) needed.emplace_back("OffsetAndLimit");
  if (plan.order_is_descending.size() == 1) needed.emplace_back("OrderBy");
  if (plan.order_is_descending.size() > 1) needed.emplace_back("MultipleOrderBy");
  if (plan.is_order_by_rank) needed.emplace_back("NonStreamingOrderBy");
  if (plan.top) needed.emplace_back("Top");
  return needed;
}

}  // namespace

bool names_query_feature(std::string_view supported, std::string_view feature) {
  return std::ranges::any_of(std::views::split(supported, ','), [feature](const auto& part) {
    std::string_view name(part);
    name.remove_prefix(std::min(name.find_first_not_of(' '), name.size()));
    return name.substr(0, name.find(' ')) == feature;
  });
}

Status check_query_features(const query::DistributedQuery& plan, std::optional<std::string_view> supported) {
  std::vector<std::string_view> missing = needed_by(plan);
  std::erase_if(missing, [&](std::string_view feature) { return supported && names_query_feature(*supported, feature); });
  if (missing.empty()) return {};
  if (supported) {
    return fail(ErrorCode::kInvalidQuery,
                fmt::format("Query contains the following features, which the calling client does not support:\r\n{}",
                            fmt::join(missing, " ")));
  }
  std::string message =
      "Query contains 1 or more unsupported features. Upgrade your SDK to a version that does support the requested features:";
  for (const std::string_view feature : missing) {
    message += fmt::format("\r\nQuery contained {}, which the calling client does not support.", feature);
  }
  return fail(ErrorCode::kInvalidQuery, std::move(message));
}

}  // namespace partita::cosmos
