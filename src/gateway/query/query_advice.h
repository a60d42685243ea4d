#pragma once

#include "cluster/resources.h"
#include "engine/index/indexing_policy.h"
#include "gateway/query/queries.h"
#include "query/optimise/predicates/plan_predicates.h"

namespace partita {

// QueryAdvice: which indexes a page of a query was read from, and which others a query like it could be read from: soon, because
// they are being built, or if the policy had them.
struct QueryAdvice {
  query::PlanPredicates used;
  query::PlanPredicates growing;
  query::PlanPredicates missing;
};

// `key`: that of the request, if it was for one logical partition (or those with this prefix); its paths are read from the index.
QueryAdvice advice_on(const query::Plan& plan, const QueryPage& page, const Container& container,
                      const std::optional<PartitionKey>& key);

// kInvalidQuery, in the service's words, for an order that it would refuse: by a path that the policy excludes, or by several
// without a composite index of them.
Status check_order(const query::Plan& plan, const IndexingPolicy& policy);

}  // namespace partita
