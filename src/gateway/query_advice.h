#pragma once

#include "engine/indexing_policy.h"
#include "gateway/queries.h"
#include "query/optimise/index_demands.h"

namespace partita {

// QueryAdvice: which indexes a page of a query was read from, and which ones, if the policy had them, a query like it could be
// read from.
struct QueryAdvice {
  query::IndexDemands used;
  query::IndexDemands missing;
};

QueryAdvice advice_on(const query::Plan& plan, const QueryPage& page, const IndexingPolicy& policy);

}  // namespace partita
