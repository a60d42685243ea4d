#pragma once

#include "base/result.h"
#include "document/key/partition_key.h"
#include "query/plan/plan.h"

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace partita::tools::advise {

// A query and how often it comes, relative to the others.
struct WeighedQuery {
  double weight = 1;
  std::string text = {};
  query::Plan plan = {};
  std::set<std::string> fields = {};    // top-level members of the document that it reads
  bool reads_all = false;               // the document as a whole: `fields` says only what else it names
  std::set<std::string> equal_to = {};  // texts of paths that must equal something
};

// Parses the query. Parameters stand for any value.
Result<WeighedQuery> weigh_query(double weight, std::string_view text);

// Lines of a weight, white space and a query; empty lines and those that begin with # are left out. The message names the line.
Result<std::vector<WeighedQuery>> parse_workload(std::string_view text);

// How many of `partitions` the query asks when documents have this key; `spread` values stand for each value of the first path
// (a suffix from 1 to n that the query does not know).
double partitions_asked(const WeighedQuery& query, const PartitionKeyDefinition& definition, size_t partitions,
                        size_t spread = 1);

}  // namespace partita::tools::advise
