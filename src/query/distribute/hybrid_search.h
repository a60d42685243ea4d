#pragma once

#include "query/distribute/distributed_query.h"
#include "query/plan/plan.h"
#include "query/sql/ast.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace partita::query {

// HybridSearch: how a client runs ORDER BY RANK over several partitions. It adds up the statistics of all of them, puts the sums
// into the components' texts, runs each component on each partition, and ranks the rows by the scores that they bring along.
struct HybridSearch {
  std::string statistics_text;  // run first, if needed
  bool needs_statistics = false;
  std::vector<DistributedQuery> components;
  std::vector<double> weights;  // one for each component; empty: they count the same
  std::optional<uint64_t> skip;
  std::optional<uint64_t> take;
};

// REQUIRES: the query orders by rank, and the ranking is what binding made of that.
HybridSearch hybrid_search_of(const sql::Query& query, const Ranking& ranking, std::span<const Parameter> parameters);

}  // namespace partita::query
