#include "cluster/tenants.h"
#include "document/json/json.h"
#include "gateway/feeds/feed.h"
#include "protocols/cosmos/codec/continuation.h"
#include "protocols/cosmos/handlers/handlers.h"
#include "protocols/cosmos/handlers/items/feed_scope.h"
#include "protocols/cosmos/handlers/metadata_feed.h"

namespace partita::cosmos {
namespace {

Result<FeedRequest> parse_request(const Service& service, const Exchange& exchange, const Container& container) {
  FeedRequest request;
  EffectiveKeyRange begun;
  if (const std::string_view text = exchange.header(header::kContinuation); !text.empty()) {
    TRY_ASSIGN(FeedContinuation continuation, decode_continuation(text, container));
    request.from = std::move(continuation.position);
    begun = std::move(continuation.scope);
  }
  TRY_ASSIGN(FeedScope scope, feed_scope(exchange, container, request.from ? &begun : nullptr));
  request.range = std::move(scope.range);
  request.key = std::move(scope.key);
  request.ends_with_partition = service.fidelity(exchange) == Fidelity::kService && !names_its_partitions(exchange);
  request.terms = service.terms(exchange);
  request.turn = exchange.turn();
  TRY_ASSIGN(request.items_max, items_max(exchange, kFeedPageItemsDefault, kFeedPageItemsMax));
  return request;
}

void answer_page(Exchange& exchange, const Container& container, const EffectiveKeyRange& scope, const Result<FeedPage>& page) {
  if (!page) return exchange.answer_error(page.error());
  std::string& body = exchange.response().body;
  begin_feed_body(body, container.rid(), "Documents");
  for (const Item& item : page->items) {
    if (&item != &page->items.front()) body += ',';
    append_json(body, item.document());
  }
  end_feed_body(body, page->items.size());
  exchange.set_charge(page->charge);
  exchange.response().header(header::kItemCount, std::to_string(page->items.size()));
  if (page->next) exchange.response().header(header::kContinuation, encode_continuation({*page->next, scope}, container));
  const PartitionPlace& place = page->place == nullptr ? container.places.front() : *page->place;
  exchange.set_owner(container);
  exchange.set_session(place, page->place == nullptr ? place.partition->durable_lsn() : page->lsn);
  exchange.finish(200);
}

}  // namespace

void list_items(const Service& service, ExchangePtr exchange) {
  const Result<std::shared_ptr<const Container>> container = service.container(*exchange);
  if (!container) return exchange->answer_error(container.error());
  const Result<FeedRequest> request = parse_request(service, *exchange, **container);
  if (!request) return exchange->answer_error(request.error());
  read_feed(
      *container, *request,
      [&service, container = *container, scope = request->range, exchange = std::move(exchange)](Result<FeedPage> page) mutable {
        const size_t bytes = page ? page->work.loaded_bytes : 0;
        service.answer_large(
            tenant_of(*container), std::move(exchange), bytes,
            [container, scope, page = std::move(page)](Exchange& later) { answer_page(later, *container, scope, page); });
      });
}

}  // namespace partita::cosmos
