#include "protocols/cosmos/codec/query_plan.h"

#include "base/encodings.h"
#include "query/distribute/hybrid_search.h"

#include <algorithm>
#include <string>
#include <vector>

namespace partita::cosmos {
namespace {

constexpr int64_t kPlanVersion = 2;

std::string_view name_of(query::DistributedQuery::Distinct distinct) {
  switch (distinct) {
    case query::DistributedQuery::Distinct::kNone: return "None";
    case query::DistributedQuery::Distinct::kOrdered: return "Ordered";
    case query::DistributedQuery::Distinct::kUnordered: return "Unordered";
  }
  return {};
}

std::string_view name_of(query::AggregateKind kind) {
  switch (kind) {
    case query::AggregateKind::kNone: return {};
    case query::AggregateKind::kAverage: return "Average";
    case query::AggregateKind::kCount: return "Count";
    case query::AggregateKind::kCountIf: return "CountIf";
    case query::AggregateKind::kMax: return "Max";
    case query::AggregateKind::kMin: return "Min";
    case query::AggregateKind::kSum: return "Sum";
    case query::AggregateKind::kMakeList: return "MakeList";
    case query::AggregateKind::kMakeSet: return "MakeSet";
  }
  return {};
}

void write_count(StoredWriter& out, std::string_view name, const std::optional<uint64_t>& count) {
  out.key(name);
  if (count) {
    out.integer(static_cast<int64_t>(*count));
  } else {
    out.null();
  }
}

void write_texts(StoredWriter& out, std::string_view name, const std::vector<std::string>& texts) {
  out.key(name);
  out.begin_array();
  for (const std::string& text : texts) out.string(text);
  out.end_array();
}

void write_grouping(StoredWriter& out, const query::DistributedQuery& query) {
  write_texts(out, "groupByExpressions", query.group_by_expressions);
  out.key("groupByAliases");
  out.begin_array();
  for (const auto& output : query.group_outputs) out.string(output.alias);
  out.end_array();
  out.key("aggregates");
  out.begin_array();
  for (const query::AggregateKind kind : query.aggregates) out.string(name_of(kind));
  out.end_array();
  out.key("groupByAliasToAggregateType");
  out.begin_object();
  for (const auto& output : query.group_outputs) {
    out.key(output.alias);
    if (output.aggregate == query::AggregateKind::kNone) {
      out.null();
    } else {
      out.string(name_of(output.aggregate));
    }
  }
  out.end_object();
}

void write_query_info(StoredWriter& out, const query::DistributedQuery& query) {
  out.begin_object();
  out.key("distinctType");
  out.string(name_of(query.distinct));
  write_count(out, "top", query.top);
  write_count(out, "offset", query.offset);
  write_count(out, "limit", query.limit);
  out.key("orderBy");
  out.begin_array();
  for (const bool is_descending : query.order_is_descending) out.string(is_descending ? "Descending" : "Ascending");
  out.end_array();
  write_texts(out, "orderByExpressions", query.order_by_expressions);
  write_grouping(out, query);
  out.key("rewrittenQuery");
  out.string(query.rewritten_text);
  out.key("hasSelectValue");
  out.boolean(query.has_select_value);
  out.key("hasNonStreamingOrderBy");
  out.boolean(query.is_order_by_rank);
  out.key("dCountInfo");
  if (query.distinct_count_alias) {
    out.begin_object();
    out.key("dCountAlias");
    out.string(*query.distinct_count_alias);
    out.end_object();
  } else {
    out.null();
  }
  out.end_object();
}

void write_hybrid_search(StoredWriter& out, const query::HybridSearch& search) {
  out.begin_object();
  out.key("globalStatisticsQuery");
  out.string(search.statistics_text);
  out.key("componentQueryInfos");
  out.begin_array();
  for (const query::DistributedQuery& component : search.components) write_query_info(out, component);
  out.end_array();
  out.key("componentWithoutPayloadQueryInfos");
  out.begin_array();
  out.end_array();
  out.key("projectionQueryInfo");
  out.null();
  out.key("componentWeights");
  out.begin_array();
  for (const double weight : search.weights) out.number(weight);
  out.end_array();
  write_count(out, "skip", search.skip);
  write_count(out, "take", search.take);
  out.key("requiresGlobalStatistics");
  out.boolean(search.needs_statistics);
  out.end_object();
}

struct PlanRange {
  std::string min;
  std::string max;
  bool is_max_inclusive;

  auto operator<=>(const PlanRange&) const = default;
};

std::vector<PlanRange> ranges_of(const query::KeyFilter& filter, const PartitionKeyDefinition& definition) {
  if (filter.is_all) return {{hex_upper(kEffectiveKeyMin), hex_upper(kEffectiveKeyMax), false}};
  // A query that can find nothing still has to be sent somewhere.
  if (filter.keys.empty()) return {{"", "", true}};
  std::vector<PlanRange> ranges;
  for (const PartitionKey& key : filter.keys) {
    const EffectiveKeyRange range = range_of_prefix(key, definition);
    const bool is_whole = key.components.size() == definition.paths.size();
    ranges.push_back({hex_upper(range.min), is_whole ? hex_upper(range.min) : hex_upper(range.max), is_whole});
  }
  std::ranges::sort(ranges);
  return ranges;
}

}  // namespace

void write_query_plan(StoredWriter& out, const query::DistributedQuery& query, const PartitionKeyDefinition& definition) {
  out.begin_object();
  out.key("partitionedQueryExecutionInfoVersion");
  out.integer(kPlanVersion);
  if (query.hybrid) {
    out.key("hybridSearchQueryInfo");
    write_hybrid_search(out, *query.hybrid);
  } else {
    out.key("queryInfo");
    write_query_info(out, query);
  }
  out.key("queryRanges");
  out.begin_array();
  for (const PlanRange& range : ranges_of(query.keys, definition)) {
    out.begin_object();
    out.key("min");
    out.string(range.min);
    out.key("max");
    out.string(range.max);
    out.key("isMinInclusive");
    out.boolean(true);
    out.key("isMaxInclusive");
    out.boolean(range.is_max_inclusive);
    out.end_object();
  }
  out.end_array();
  out.end_object();
}

}  // namespace partita::cosmos
