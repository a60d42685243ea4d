#include "document/json.h"
#include "gateway/queries.h"
#include "protocols/cosmos/codec/continuation.h"
#include "protocols/cosmos/handlers/feed_scope.h"
#include "protocols/cosmos/handlers/handlers.h"
#include "protocols/cosmos/handlers/metadata_feed.h"
#include "query/query.h"

namespace partita::cosmos {
namespace {

// A query on its way: compiled, with what it is about.
struct QueryInFlight {
  ExchangePtr exchange;
  std::shared_ptr<const Container> container;
  query::QuerySpecification specification;
  query::Plan plan;
  QueryRequest request;
};

Result<QueryInFlight> prepare(const Service& service, const Exchange& exchange) {
  QueryInFlight flight;
  TRY_ASSIGN(flight.container, service.container(exchange));
  if (exchange.is_header_true(header::kIsQueryPlan)) return fail(ErrorCode::kInvalidInput, "Query plans are not served yet; send the query itself.");
  TRY_ASSIGN(const std::string body, stored_from_json(exchange.request().body));
  TRY_ASSIGN(flight.specification, query::QuerySpecification::from(Value::view(body)));
  TRY_ASSIGN(flight.plan, query::compile(flight.specification));
  TRY_ASSIGN(FeedScope scope, feed_scope(exchange, *flight.container));
  flight.request.range = std::move(scope.range);
  flight.request.key = std::move(scope.key);
  if (const std::string_view continuation = exchange.header(header::kContinuation); !continuation.empty()) {
    TRY_ASSIGN(flight.request.from, decode_query_continuation(continuation, flight.specification.text, *flight.container));
  }
  TRY_ASSIGN(flight.request.items_max, items_max(exchange, kQueryPageItemsDefault, kFeedPageItemsMax));
  return flight;
}

void answer_page(QueryInFlight& flight, const Result<QueryPage>& page) {
  Exchange& exchange = *flight.exchange;
  if (!page) return exchange.answer_error(page.error());
  std::string& body = exchange.response().body;
  begin_feed_body(body, flight.container->rid(), "Documents");
  for (const std::string& row : page->rows) {
    if (&row != &page->rows.front()) body += ',';
    append_json(body, Value::view(row));
  }
  end_feed_body(body, page->rows.size());
  exchange.set_charge(page->charge);
  exchange.response().header(header::kItemCount, std::to_string(page->rows.size()));
  if (page->next) {
    exchange.response().header(header::kContinuation, encode_query_continuation(*page->next, flight.specification.text, *flight.container));
  }
  const PartitionPlace& place = flight.container->place_of(flight.request.range.min);
  exchange.set_session(*flight.container, place, place.partition->durable_lsn());
  exchange.finish(200);
}

}  // namespace

void query_items(const Service& service, ExchangePtr exchange) {
  Result<QueryInFlight> prepared = prepare(service, *exchange);
  if (!prepared) return exchange->answer_error(prepared.error());
  prepared->exchange = std::move(exchange);
  auto flight = std::make_shared<QueryInFlight>(std::move(*prepared));
  WorkerPool::Task task = [&service, flight] {
    run_query(flight->container, flight->plan, flight->request, service.query_environment(),
              [flight](Result<QueryPage> page) { answer_page(*flight, page); });
  };
  if (!service.workers().submit(task)) {
    flight->exchange->answer_error({ErrorCode::kUnavailable, "Too many queries are waiting already; try again in a moment."});
  }
}

}  // namespace partita::cosmos
