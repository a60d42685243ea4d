#include "client/query/query_plan.h"

#include "base/encodings.h"
#include "document/json/json.h"

#include <fmt/format.h>

#include <algorithm>

namespace partita::client {
namespace {

std::unexpected<Error> unreadable(std::string_view what) {
  return fail(ErrorCode::kInvalidInput, fmt::format("the server's query plan cannot be used: {}", what));
}

Result<Aggregate> read_aggregate(const Value& name) {
  constexpr std::pair<std::string_view, Aggregate> kNames[] = {
      {"Average", Aggregate::kAverage},   {"Count", Aggregate::kCount},    {"CountIf", Aggregate::kCount},
      {"Max", Aggregate::kMax},           {"Min", Aggregate::kMin},        {"Sum", Aggregate::kSum},
      {"MakeList", Aggregate::kMakeList}, {"MakeSet", Aggregate::kMakeSet}};
  if (name.is_string()) {
    for (const auto& [known, aggregate] : kNames) {
      if (known == name.string()) return aggregate;
    }
    return unreadable(fmt::format("it has the unknown aggregate '{}'", name.string()));
  }
  return unreadable("an aggregate has no name");
}

Result<std::optional<uint64_t>> read_count(const Value& info, std::string_view key) {
  const Value count = info.find(key);
  if (count.is_undefined() || count.is_null()) return std::nullopt;
  const std::optional<int64_t> number = count.is_number() ? count.integer() : std::nullopt;
  if (!number || *number < 0) return unreadable(fmt::format("its {} is no count", key));
  return static_cast<uint64_t>(*number);
}

size_t size_of(const Value& value) { return value.is_array() || value.is_object() ? value.size() : 0; }

Status read_order(const Value& info, QueryPlan& plan) {
  const Value order = info.find("orderBy");
  for (size_t index = 0; index < size_of(order); ++index) {
    const Value direction = order.is_array() ? order.element(index) : Value();
    if (!direction.is_string()) return unreadable("its ORDER BY cannot be read");
    plan.is_descending.push_back(direction.string() == "Descending");
  }
  const Value is_unstreamed = info.find("hasNonStreamingOrderBy");
  plan.is_order_streamed = !is_unstreamed.is_bool() || !is_unstreamed.boolean();
  return {};
}

Status read_aggregates(const Value& info, QueryPlan& plan) {
  const Value aggregates = info.find("aggregates");
  if (aggregates.is_array() && aggregates.size() > 0) {
    if (aggregates.size() > 1) return unreadable("it has several aggregates for one value");
    TRY_ASSIGN(plan.value_aggregate, read_aggregate(aggregates.element(0)));
  }
  const Value columns = info.find("groupByAliasToAggregateType");
  const Value aliases = info.find("groupByAliases");
  plan.has_groups = size_of(info.find("groupByExpressions")) > 0;
  if (!aliases.is_array()) return {};
  for (size_t index = 0; index < aliases.size(); ++index) {
    const Value alias = aliases.element(index);
    if (!alias.is_string()) return unreadable("a column has no name");
    AggregateColumn column{.alias = std::string(alias.string()), .aggregate = {}};
    const Value kind = columns.find(alias.string());
    if (!kind.is_undefined() && !kind.is_null()) {
      TRY_ASSIGN(column.aggregate, read_aggregate(kind));
    }
    plan.columns.push_back(std::move(column));
  }
  return {};
}

Status read_hashes(const Value& ranges, QueryPlan& plan) {
  if (!ranges.is_array()) return unreadable("it names no ranges");
  for (size_t index = 0; index < ranges.size(); ++index) {
    const Value range = ranges.element(index);
    const Value min = range.find("min");
    const Value max = range.find("max");
    if (!min.is_string() || !max.is_string()) return unreadable("a range has no bounds");
    std::optional<std::string> from = from_hex(min.string());
    std::optional<std::string> to = from_hex(max.string());
    if (!from || !to) return unreadable("the bounds of a range are not hexadecimal");
    // Widened to be closed below and open above: partitions are asked as a whole, and the query itself says which rows count.
    const Value is_max_inclusive = range.find("isMaxInclusive");
    if (is_max_inclusive.is_bool() && is_max_inclusive.boolean()) to->push_back('\0');
    if (*from < *to) plan.hashes.push_back({*std::move(from), *std::move(to)});
  }
  std::ranges::sort(plan.hashes, {}, [](const EffectiveKeyRange& each) -> const std::string& { return each.min; });
  return {};
}

Status read_info(const Value& info, QueryPlan& plan) {
  if (const Value text = info.find("rewrittenQuery"); text.is_string()) plan.rewritten = text.string();
  if (const Value distinct = info.find("distinctType"); distinct.is_string()) {
    plan.distinct = distinct.string() == "Ordered"     ? QueryPlan::Distinct::kOrdered
                    : distinct.string() == "Unordered" ? QueryPlan::Distinct::kUnordered
                                                       : QueryPlan::Distinct::kNone;
  }
  TRY_ASSIGN(plan.top, read_count(info, "top"));
  TRY_ASSIGN(plan.offset, read_count(info, "offset"));
  TRY_ASSIGN(plan.limit, read_count(info, "limit"));
  if (const Value is_value = info.find("hasSelectValue"); is_value.is_bool()) plan.has_select_value = is_value.boolean();
  if (const Value counted = info.find("dCountInfo"); counted.is_object()) {
    const Value alias = counted.find("dCountAlias");
    plan.counted_alias = alias.is_string() ? std::string(alias.string()) : std::string();
  }
  TRY(read_order(info, plan));
  return read_aggregates(info, plan);
}

}  // namespace

Result<QueryPlan> QueryPlan::parse(std::string_view json) {
  const Result<std::string> stored = stored_from_json(json);
  if (!stored) return unreadable(stored.error().message);
  const Value object = Value::view(*stored);
  if (object.find("hybridSearchQueryInfo").is_object()) {
    return unreadable("hybrid search (ORDER BY RANK) over several partitions needs a partition key");
  }
  const Value info = object.find("queryInfo");
  if (!info.is_object()) return unreadable("it has no queryInfo");
  QueryPlan plan;
  TRY(read_info(info, plan));
  TRY(read_hashes(object.find("queryRanges"), plan));
  return plan;
}

}  // namespace partita::client
