#pragma once

#include "base/result.h"
#include "document/key/partition_key.h"
#include "query/distribute/key_filter.h"
#include "query/function/function.h"
#include "query/query.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace partita::query {

struct HybridSearch;

// DistributedQuery: how a query is run on several partitions and its results merged by a client: the text that each
// partition gets, and what the client does with the rows. What it asks for is what the service's query plans ask for, so that
// unmodified clients can merge.
struct DistributedQuery {
  enum class Distinct : uint8_t { kNone, kOrdered, kUnordered };

  struct Output {
    std::string alias;
    AggregateKind aggregate = AggregateKind::kNone;  // none: the same in every row of a group
  };

  Distinct distinct = Distinct::kNone;
  std::optional<uint64_t> top;
  std::optional<uint64_t> offset;
  std::optional<uint64_t> limit;
  std::vector<bool> order_is_descending;  // one per sort key that the client merges by
  std::vector<std::string> order_by_expressions;
  bool is_order_by_rank = false;  // rows come in no order; the client sorts as many as it needs
  std::vector<std::string> group_by_expressions;
  std::vector<Output> group_outputs;      // of a select list with aggregates or GROUP BY
  std::vector<AggregateKind> aggregates;  // of SELECT VALUE with an aggregate
  // COUNT over a DISTINCT sub-query: partitions give the distinct rows, the client counts what is left of them. The property that
  // the count becomes; empty for SELECT VALUE.
  std::optional<std::string> distinct_count_alias;
  bool has_select_value = false;
  std::string rewritten_text;  // empty: each partition gets the text as it is
  KeyFilter keys;
  // Of ORDER BY RANK; all but the keys is in there then.
  std::shared_ptr<const HybridSearch> hybrid;

  // Whether the rows of several partitions, one after the other, are not the answer yet.
  bool needs_merging() const {
    return distinct != Distinct::kNone || top || offset || limit || !order_is_descending.empty() ||
           !group_by_expressions.empty() || !group_outputs.empty() || !aggregates.empty() || distinct_count_alias || hybrid;
  }
};

// Errors are kInvalidQuery as those of compile(), and for compositions of aggregates with other expressions, which cannot be
// merged.
// `counts_distinct`: the client knows distinct_count_alias. One that does not gets an aggregate like any other, and adds up what
// several partitions may have in common.
Result<DistributedQuery> distribute(const QuerySpecification& specification, const PartitionKeyDefinition& definition,
                                    const Schema& schema = {}, const SyntheticKey* synthetic = nullptr,
                                    bool counts_distinct = true);

}  // namespace partita::query
