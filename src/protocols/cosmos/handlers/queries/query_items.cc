#include "document/json/json.h"
#include "gateway/query/narrowed_scope.h"
#include "gateway/query/query_runner.h"
#include "protocols/cosmos/codec/continuation.h"
#include "protocols/cosmos/codec/resource_json.h"
#include "protocols/cosmos/dispatch.h"
#include "protocols/cosmos/handlers/handlers.h"
#include "protocols/cosmos/handlers/items/feed_scope.h"
#include "protocols/cosmos/handlers/metadata_feed.h"
#include "protocols/cosmos/handlers/queries/plan_query.h"
#include "protocols/cosmos/handlers/queries/query_in_flight.h"
#include "protocols/cosmos/handlers/queries/query_refusal.h"
#include "query/query.h"

#include <utility>

namespace partita::cosmos {
namespace {

// A query for one partition key goes only there, whether or not the request says so; one that does not needs the
// client's consent to read all partitions. Nothing: the query is not refused for that.
Result<std::optional<QueryRefusal>> narrow(const Exchange& exchange, Fidelity fidelity, QueryInFlight& flight, FeedScope& scope) {
  const Container& container = *flight.container;
  if (names_its_partitions(exchange) || !container.has_partition_key()) return std::nullopt;
  const PartitionKeyDefinition& definition = container.definition.partition_key;
  NarrowedScope narrowed = narrow_by_key(flight.query->plan, definition, container.definition.synthetic_key.get());
  if (narrowed.range) scope.range = *std::move(narrowed.range);
  if (narrowed.key) scope.key = std::move(narrowed.key);
  if (narrowed.has_several_keys) TRY(check_may_cross_partitions(exchange));
  flight.request.key_ranges = std::move(narrowed.key_ranges);
  flight.request.ends_with_partition = fidelity == Fidelity::kService && !exchange.is_header_true(header::kExplain);
  const ConcernedKeys keys{.is_one_key = scope.key && scope.key->components.size() == definition.paths.size(),
                           .has_several_keys = narrowed.has_several_keys};
  return refusal_over_partitions(exchange, fidelity, container, *flight.query, keys);
}

// Whoever asks for an explanation is told of it, and how the query would run.
Status note_refusal(std::optional<QueryRefusal> refusal, bool is_explained, QueryInFlight& flight) {
  if (!refusal) return {};
  if (!is_explained) return std::unexpected(std::move(refusal)->error);
  if (!flight.refusal) flight.refusal = std::move(refusal);
  return {};
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
  const bool is_explained = exchange.is_header_true(header::kExplain);
  const Fidelity fidelity = service.fidelity(exchange);
  TRY(note_refusal(refusal_of_text(fidelity, *flight.container, *flight.query), is_explained, flight));
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
  TRY_ASSIGN(std::optional<QueryRefusal> refusal, narrow(exchange, fidelity, flight, scope));
  TRY(note_refusal(std::move(refusal), is_explained, flight));
  flight.request.range = std::move(scope.range);
  flight.request.key = std::move(scope.key);
  flight.request.terms = service.terms(exchange);
  flight.request.text_bytes = exchange.request().body.size();
  TRY_ASSIGN(flight.request.items_max, items_max(exchange, kQueryPageItemsDefault, kFeedPageItemsMax));
  flight.request.measures_reading = exchange.is_header_true(header::kPopulateQueryMetrics) || is_explained;
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

void write_page(QueryInFlight& flight, Exchange& exchange, const QueryPage& page) {
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

void answer_page(QueryInFlight& flight, Exchange& exchange, const Result<QueryPage>& page) {
  if (!page) return exchange.answer_error(page.error());
  exchange.set_charge(page->charge);
  if (exchange.is_header_true(header::kExplain)) {
    StoredWriter explanation;
    write_explanation(explanation, flight, *page);
    return exchange.answer_json(200, explanation.view());
  }
  write_page(flight, exchange, *page);
  set_query_metrics(flight, exchange, *page);
  const bool is_empty = page->range.min >= page->range.max;
  const PartitionPlace& place = is_empty ? flight.container->places.front() : flight.container->place_of(page->range.min);
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
  // A page that shows what was not durable yet comes on the thread that tells all writers that they are.
  service.queries().run(flight, [&service, flight](Result<QueryPage> page) {
    const size_t bytes = page ? page->work.result_bytes : 0;
    service.answer_large(tenant_of(*flight->container), std::move(flight->exchange), bytes,
                         [flight, page = std::move(page)](Exchange& exchange) { answer_page(*flight, exchange, page); });
  });
}

}  // namespace partita::cosmos
