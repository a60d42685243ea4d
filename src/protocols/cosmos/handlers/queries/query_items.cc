#include "document/json/json.h"
#include "gateway/query/narrowed_scope.h"
#include "gateway/query/query_advice.h"
#include "gateway/query/query_runner.h"
#include "protocols/cosmos/codec/continuation.h"
#include "protocols/cosmos/codec/resource_json.h"
#include "protocols/cosmos/dispatch.h"
#include "protocols/cosmos/handlers/handlers.h"
#include "protocols/cosmos/handlers/items/feed_scope.h"
#include "protocols/cosmos/handlers/metadata_feed.h"
#include "protocols/cosmos/handlers/queries/plan_query.h"
#include "protocols/cosmos/handlers/queries/query_in_flight.h"
#include "query/distribute/distributed_query.h"
#include "query/distribute/service_limits.h"
#include "query/query.h"

#include <algorithm>
#include <utility>

namespace partita::cosmos {
namespace {

query::Schema schema_of(const Container& container) {
  return query::Schema::of(Value::view(container.definition.properties_for_queries()));
}

// Whether clients before kModernVersion know everything that this plan asks of them.
bool is_merged_by_old_clients(const query::DistributedQuery& plan) {
  using Distinct = query::DistributedQuery::Distinct;
  return plan.distinct == Distinct::kNone && !plan.offset && !plan.limit && plan.group_by_expressions.empty() &&
         plan.group_outputs.empty() && !plan.distinct_count_alias && !plan.hybrid;
}

Result<query::DistributedQuery> distribute(const Container& container, const query::QuerySpecification& specification) {
  return query::distribute(specification, container.definition.partition_key, schema_of(container),
                           container.definition.synthetic_key.get());
}

std::unexpected<Error> leave_to_client() {
  return fail(ErrorCode::kCrossPartitionRequired,
              "The provided cross partition query can not be directly served by the gateway. This is a first chance (internal) "
              "exception that all newer clients will know how to handle gracefully. This exception is traced, but unless you see "
              "it bubble up as an exception (which only happens on older SDK clients), then you can safely ignore this message.");
}

// What the server merges itself although the service does not: all but what a client means to merge. That is one which says that
// it reads partitions in parallel; an old one, which adds up charges and drops empty pages only then; and everybody who ranks
// rows of several partitions, because SDKs check such queries before they merge them.
Status leave_what_clients_want(const Exchange& exchange, const Container& container,
                               const query::QuerySpecification& specification) {
  const bool reads_in_parallel = exchange.is_header_true(header::kParallelizeCrossPartition);
  const bool is_old = !exchange.speaks_version(kModernVersion);
  if (!reads_in_parallel && !is_old && container.places.size() == 1) return {};
  const Result<query::DistributedQuery> plan = distribute(container, specification);
  if (!plan) return {};
  const bool is_ranked = (plan->hybrid || plan->is_order_by_rank) && container.places.size() > 1;
  const bool is_for_old = is_old && is_merged_by_old_clients(*plan) && (reads_in_parallel || plan->needs_merging());
  const bool is_for_new = !is_old && reads_in_parallel && plan->needs_merging();
  if (!is_ranked && !is_for_old && !is_for_new) return {};
  return leave_to_client();
}

// A client that did not ask for a plan cannot be told how to merge an object with aggregates in it.
Status refuse_as_service(const Container& container, const query::QuerySpecification& specification) {
  TRY_ASSIGN(const query::DistributedQuery plan, distribute(container, specification));
  const bool has_named_aggregates =
      std::ranges::any_of(plan.group_outputs, [](const auto& output) { return output.aggregate != query::AggregateKind::kNone; });
  if (has_named_aggregates) {
    return fail(ErrorCode::kInvalidQuery, "Cross partition query only supports 'VALUE <AggregateFunc>' for aggregates.");
  }
  return leave_to_client();
}

// The service's gateway merges nothing, however many partitions the container has.
Status leave_what_service_leaves(const Exchange& exchange, const Container& container, const PreparedQuery& query) {
  const bool reads_in_parallel = exchange.is_header_true(header::kParallelizeCrossPartition);
  if (!reads_in_parallel && !query::needs_merging(query.plan)) return {};
  return refuse_as_service(container, query.specification);
}

// Its partitions put rows together within a page only, so that for one key, too, a client has to do it over all pages. A client
// can say that it wants an aggregate whole, and not page by page.
Status leave_what_pages_cut(const Exchange& exchange, const Container& container, const PreparedQuery& query) {
  const bool has_groups = query.plan.grouping && !query.plan.grouping->keys.empty();
  const bool wants_all = net::equal_without_case(exchange.header(header::kIsContinuationExpected), "false");
  if (!query.plan.is_distinct && !has_groups && !(query.plan.grouping && wants_all)) return {};
  return refuse_as_service(container, query.specification);
}

// A query for one partition key goes only there, whether or not the request says so; one that does not needs the
// client's consent to read all partitions.
Status narrow(const Exchange& exchange, Fidelity fidelity, const Container& container, const PreparedQuery& query,
              FeedScope& scope, size_t& key_values) {
  if (names_its_partitions(exchange) || !container.has_partition_key()) return {};
  NarrowedScope keys = narrow_by_key(query.plan, container.definition.partition_key, container.definition.synthetic_key.get());
  key_values = keys.key_ranges.size();
  if (keys.range) scope.range = *std::move(keys.range);
  if (keys.key) scope.key = std::move(keys.key);
  if (keys.has_several_keys) TRY(check_may_cross_partitions(exchange));
  if (fidelity == Fidelity::kExtended) {
    return keys.has_several_keys ? leave_what_clients_want(exchange, container, query.specification) : Status();
  }
  const bool is_one_key = scope.key && scope.key->components.size() == container.definition.partition_key.paths.size();
  return is_one_key ? leave_what_pages_cut(exchange, container, query) : leave_what_service_leaves(exchange, container, query);
}

Result<QueryInFlight> prepare(const Service& service, const Exchange& exchange, std::shared_ptr<const Container> container) {
  QueryInFlight flight;
  flight.clock = &service.clock();
  flight.started_us = flight.clock->steady_us();
  flight.container = std::move(container);
  TRY_ASSIGN(flight.query, service.queries().prepare(exchange.request().body, *flight.container));
  const query::QuerySpecification& specification = flight.query->specification;
  const query::Plan& plan = flight.query->plan;
  flight.compile_us = flight.clock->steady_us() - flight.started_us;
  // Whoever asks for an explanation is told what is missing, and what the service would refuse.
  const bool is_explained = exchange.is_header_true(header::kExplain);
  const Fidelity fidelity = is_explained ? Fidelity::kExtended : service.fidelity(exchange);
  if (!is_explained) TRY(check_order(plan, *flight.container->definition.indexing));
  if (fidelity == Fidelity::kService) TRY(query::check_service_limits(specification, plan));
  EffectiveKeyRange begun;
  const std::string_view text = exchange.header(header::kContinuation);
  const bool is_begun = !text.empty() && (fidelity == Fidelity::kExtended || !is_foreign_continuation(text, *flight.container));
  if (is_begun) {
    TRY_ASSIGN(QueryContinuation continuation,
               decode_query_continuation(text, query::resumption_text(specification), plan, *flight.container));
    flight.request.from = std::move(continuation.position);
    begun = std::move(continuation.scope);
  }
  TRY_ASSIGN(FeedScope scope, feed_scope(exchange, *flight.container, flight.request.from ? &begun : nullptr));
  TRY(narrow(exchange, fidelity, *flight.container, *flight.query, scope, flight.key_values));
  flight.request.range = std::move(scope.range);
  flight.request.key = std::move(scope.key);
  flight.request.terms = service.terms(exchange);
  flight.request.text_bytes = exchange.request().body.size();
  TRY_ASSIGN(flight.request.items_max, items_max(exchange, kQueryPageItemsDefault, kFeedPageItemsMax));
  flight.request.measures_reading =
      exchange.is_header_true(header::kPopulateQueryMetrics) || exchange.is_header_true(header::kExplain);
  flight.is_abandoned = exchange.request().is_abandoned;
  flight.is_alone = exchange.request().is_alone;
  flight.turn = exchange.turn();
  return flight;
}

// Old clients find the plan in the refusal; newer ones ask for it.
void refuse_with_plan(const Service& service, Exchange& exchange, const Error& error) {
  StoredWriter plan;
  const Status written = write_plan(service, exchange, plan);
  exchange.answer_error(error, written ? to_json(plan.view()) : std::string());
}

void write_page(QueryInFlight& flight, const QueryPage& page) {
  Exchange& exchange = *flight.exchange;
  std::string& body = exchange.response().body;
  begin_feed_body(body, flight.container->rid(), "Documents");
  const int64_t started_us = flight.clock->steady_us();
  const size_t before = body.size();
  for (const std::string& row : page.rows) {
    if (&row != &page.rows.front()) body += ',';
    append_json(body, Value::view(row));
  }
  flight.output_bytes = body.size() - before;
  flight.write_us = flight.clock->steady_us() - started_us;
  end_feed_body(body, page.rows.size());
  exchange.response().header(header::kItemCount, std::to_string(page.rows.size()));
  if (page.next) {
    exchange.response().header(header::kContinuation,
                               encode_query_continuation({*page.next, flight.request.range},
                                                         query::resumption_text(flight.query->specification), *flight.container));
  }
}

void answer_page(QueryInFlight& flight, const Result<QueryPage>& page) {
  Exchange& exchange = *flight.exchange;
  if (!page) return exchange.answer_error(page.error());
  exchange.set_charge(page->charge);
  if (exchange.is_header_true(header::kExplain)) {
    StoredWriter explanation;
    write_explanation(explanation, flight, *page);
    return exchange.answer_json(200, explanation.view());
  }
  write_page(flight, *page);
  set_query_metrics(flight, *page);
  const EffectiveKeyRange& range = flight.request.range;
  const bool is_empty = range.min >= range.max;
  const PartitionPlace& place = is_empty ? flight.container->places.front() : flight.container->place_of(range.min);
  exchange.set_owner(*flight.container);
  exchange.set_session(place, place.partition->durable_lsn());
  exchange.finish(200);
}

}  // namespace

void query_items(const Service& service, ExchangePtr exchange) {
  Result<std::shared_ptr<const Container>> container = service.container(*exchange);
  if (!container) return exchange->answer_error(container.error());
  if (is_long_to_compile(*exchange, **container)) return leave_to_worker(service, std::move(exchange));
  Result<QueryInFlight> prepared = prepare(service, *exchange, *std::move(container));
  if (!prepared && prepared.error().code == ErrorCode::kCrossPartitionRequired) {
    return refuse_with_plan(service, *exchange, prepared.error());
  }
  if (!prepared) return exchange->answer_error(prepared.error());
  prepared->exchange = std::move(exchange);
  auto flight = std::make_shared<QueryInFlight>(std::move(*prepared));
  service.queries().run(flight, [flight](const Result<QueryPage>& page) { answer_page(*flight, page); });
}

}  // namespace partita::cosmos
