#include "protocols/cosmos/handlers/queries/query_refusal.h"

#include "gateway/query/query_advice.h"
#include "net/http/http_message.h"
#include "protocols/cosmos/codec/resource_json.h"
#include "query/distribute/distributed_query.h"
#include "query/distribute/service_limits.h"

#include <algorithm>
#include <utility>

namespace partita::cosmos {
namespace {

// Whether clients before kModernVersion know everything that this plan asks of them.
bool is_merged_by_old_clients(const query::DistributedQuery& plan) {
  using Distinct = query::DistributedQuery::Distinct;
  return plan.distinct == Distinct::kNone && !plan.offset && !plan.limit && plan.group_by_expressions.empty() &&
         plan.group_outputs.empty() && !plan.distinct_count_alias && !plan.hybrid;
}

Result<query::DistributedQuery> distribute(const Container& container, const query::QuerySpecification& specification) {
  const query::Schema schema = query::Schema::of(Value::view(container.definition.properties_for_queries()));
  return query::distribute(specification, container.definition.partition_key, schema, container.definition.synthetic_key.get());
}

Error left_to_client() {
  return {ErrorCode::kCrossPartitionRequired,
          "The provided cross partition query can not be directly served by the gateway. This is a first chance (internal) "
          "exception that all newer clients will know how to handle gracefully. This exception is traced, but unless you see "
          "it bubble up as an exception (which only happens on older SDK clients), then you can safely ignore this message."};
}

// What the server merges itself although the service does not: all but what a client means to merge. That is one which says that
// it reads partitions in parallel; an old one, which adds up charges and drops empty pages only then; and everybody who ranks
// rows of several partitions, because SDKs check such queries before they merge them.
std::optional<QueryRefusal> refusal_of_what_clients_want(const Exchange& exchange, const Container& container,
                                                         const query::QuerySpecification& specification) {
  const bool reads_in_parallel = exchange.is_header_true(header::kParallelizeCrossPartition);
  const bool is_old = !exchange.speaks_version(kModernVersion);
  if (!reads_in_parallel && !is_old && container.places.size() == 1) return std::nullopt;
  const Result<query::DistributedQuery> plan = distribute(container, specification);
  if (!plan) return std::nullopt;
  const bool is_ranked = (plan->hybrid || plan->is_order_by_rank) && container.places.size() > 1;
  const bool is_for_old = is_old && is_merged_by_old_clients(*plan) && (reads_in_parallel || plan->needs_merging());
  const bool is_for_new = !is_old && reads_in_parallel && plan->needs_merging();
  if (!is_ranked && !is_for_old && !is_for_new) return std::nullopt;
  return QueryRefusal{.error = left_to_client(), .is_served_by_plan = true};
}

// A client that did not ask for a plan cannot be told how to merge an object with aggregates in it.
QueryRefusal refusal_as_service(const Container& container, const query::QuerySpecification& specification) {
  Result<query::DistributedQuery> plan = distribute(container, specification);
  if (!plan) return {.error = std::move(plan).error(), .is_served_when_extended = true};
  const bool has_named_aggregates = std::ranges::any_of(
      plan->group_outputs, [](const auto& output) { return output.aggregate != query::AggregateKind::kNone; });
  Error error = has_named_aggregates ? Error{ErrorCode::kInvalidQuery,
                                             "Cross partition query only supports 'VALUE <AggregateFunc>' for aggregates."}
                                     : left_to_client();
  return {.error = std::move(error), .is_served_by_plan = true, .is_served_when_extended = true};
}

// The service's gateway merges nothing, however many partitions the container has.
bool needs_client(const Exchange& exchange, const PreparedQuery& query) {
  return exchange.is_header_true(header::kParallelizeCrossPartition) || query::needs_merging(query.plan);
}

// Its partitions put rows together within a page only, so that for one key, too, a client has to do it over all pages. A client
// can say that it wants an aggregate whole, and not page by page.
bool is_cut_by_pages(const Exchange& exchange, const PreparedQuery& query) {
  const bool has_groups = query.plan.grouping && !query.plan.grouping->keys.empty();
  const bool wants_all = net::equal_without_case(exchange.header(header::kIsContinuationExpected), "false");
  return query.plan.is_distinct || has_groups || (query.plan.grouping && wants_all);
}

}  // namespace

std::optional<QueryRefusal> refusal_of_text(Fidelity fidelity, const Container& container, const PreparedQuery& query) {
  if (Status order = check_order(query.plan, *container.definition.indexing); !order) {
    return QueryRefusal{.error = std::move(order).error(), .is_served_by_index = true};
  }
  if (fidelity == Fidelity::kExtended) return std::nullopt;
  Status limits = query::check_service_limits(query.specification, query.plan);
  if (limits) return std::nullopt;
  return QueryRefusal{.error = std::move(limits).error(), .is_served_when_extended = true};
}

std::optional<QueryRefusal> refusal_over_partitions(const Exchange& exchange, Fidelity fidelity, const Container& container,
                                                    const PreparedQuery& query, const ConcernedKeys& keys) {
  if (fidelity == Fidelity::kExtended) {
    if (!keys.has_several_keys) return std::nullopt;
    return refusal_of_what_clients_want(exchange, container, query.specification);
  }
  const bool is_left = keys.is_one_key ? is_cut_by_pages(exchange, query) : needs_client(exchange, query);
  if (!is_left) return std::nullopt;
  return refusal_as_service(container, query.specification);
}

}  // namespace partita::cosmos
