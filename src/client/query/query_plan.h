#pragma once

#include "base/result.h"
#include "document/key/partition_key.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace partita::client {

enum class Aggregate : uint8_t { kAverage, kCount, kMax, kMin, kSum, kMakeList, kMakeSet };

// A column of a query with aggregates: one of them, or the value of a group.
struct AggregateColumn {
  std::string alias;
  std::optional<Aggregate> aggregate;

  bool operator==(const AggregateColumn&) const = default;
};

// QueryPlan: what a server wants each partition to be asked, and how to merge what they answer.
struct QueryPlan {
  enum class Distinct : uint8_t { kNone, kOrdered, kUnordered };

  std::string rewritten = {};  // empty: the query as it is
  Distinct distinct = Distinct::kNone;
  std::optional<uint64_t> top = {};
  std::optional<uint64_t> offset = {};
  std::optional<uint64_t> limit = {};
  std::vector<bool> is_descending = {};           // of each key of ORDER BY
  bool is_order_streamed = true;                  // each partition's rows come in order
  std::optional<Aggregate> value_aggregate = {};  // of SELECT VALUE
  std::vector<AggregateColumn> columns = {};      // of other queries with aggregates or groups
  bool has_groups = false;
  bool has_select_value = false;
  std::optional<std::string> counted_alias = {};  // the rows are only counted; an empty alias: SELECT VALUE
  std::vector<EffectiveKeyRange> hashes = {};     // that may have rows; sorted

  bool has_order() const { return !is_descending.empty(); }
  bool is_aggregated() const { return value_aggregate || !columns.empty() || has_groups; }

  // kInvalidInput: the text is no plan, or one that this client cannot carry out.
  static Result<QueryPlan> parse(std::string_view json);
};

// What a server may put into a plan, as a header says it. A hybrid search is parsed, to say that only a server can carry it out.
inline constexpr std::string_view kSupportedQueryFeatures =
    "Aggregate, CompositeAggregate, CountIf, DCount, Distinct, GroupBy, HybridSearch, ListAndSetAggregate, MultipleAggregates, "
    "MultipleOrderBy, NonStreamingOrderBy, NonValueAggregate, OffsetAndLimit, OrderBy, Top, WeightedRankFusion";

}  // namespace partita::client
