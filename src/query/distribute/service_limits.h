#pragma once

#include "base/result.h"
#include "query/query.h"

#include <cstdint>

// What the service does less than this engine could, so that a query which runs here runs there, too.
namespace partita::query {

// The service's clients count rows in 32 bits with a sign.
inline constexpr uint64_t kServiceRowCountMax = 2'147'483'647;

// kInvalidQuery, in the service's words, for what it refuses however many partitions are asked: a count of rows beyond
// kServiceRowCountMax, a direction for distances of vectors, an order by what a JOIN or a sub-query gives.
// `plan` is that of the specification.
Status check_service_limits(const QuerySpecification& specification, const Plan& plan);

// Whether the rows of several partitions, one after the other, are not the answer yet. The same as
// DistributedQuery::needs_merging() of a query that no partition key confines, for less work.
bool needs_merging(const Plan& plan);

}  // namespace partita::query
