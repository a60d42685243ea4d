#include "base/encodings.h"
#include "document/json.h"
#include "gateway/feed.h"
#include "protocols/cosmos/codec/continuation.h"
#include "protocols/cosmos/handlers/handlers.h"
#include "protocols/cosmos/handlers/metadata_feed.h"

#include <fmt/format.h>

namespace partita::cosmos {
namespace {

// "<id>" or "<container rid>,<id>".
Result<const PartitionPlace*> place_by_range_id(const Exchange& exchange, const Container& container) {
  std::string_view text = exchange.header(header::kPartitionKeyRangeId);
  if (text.empty()) return nullptr;
  if (const size_t comma = text.find(','); comma != std::string_view::npos) text = text.substr(comma + 1);
  const PartitionPlace* place = container.find_place(text);
  if (place == nullptr) return fail(ErrorCode::kPartitionGone, fmt::format("The container has no partition key range '{}' (any more).", text));
  return place;
}

Result<EffectivePartitionKey> effective_key_header(const Exchange& exchange, std::string_view name, const EffectivePartitionKey& fallback) {
  const std::optional<std::string_view> text = exchange.request().find_header(name);
  if (!text) return fallback;
  std::optional<std::string> bytes = from_hex(*text);
  if (!bytes) return fail(ErrorCode::kInvalidInput, fmt::format("The effective partition key '{}' is not hexadecimal.", *text));
  return *std::move(bytes);
}

Result<FeedRequest> parse_request(const Exchange& exchange, const Container& container) {
  FeedRequest request;
  TRY_ASSIGN(request.key, exchange.partition_key());
  if (request.key && request.key->components.empty()) request.key.reset();
  TRY_ASSIGN(const PartitionPlace* place, place_by_range_id(exchange, container));
  if (place != nullptr && !request.key) request.range = place->range();
  TRY_ASSIGN(const EffectivePartitionKey min, effective_key_header(exchange, header::kStartEffectiveKey, kEffectiveKeyMin));
  TRY_ASSIGN(const EffectivePartitionKey max, effective_key_header(exchange, header::kEndEffectiveKey, kEffectiveKeyMax));
  request.range = {std::max(request.range.min, min), std::min(request.range.max, max)};
  if (request.key && container.has_partition_key()) {
    const EffectiveKeyRange range = range_of_prefix(*request.key, container.definition.partition_key);
    request.range = {std::max(request.range.min, range.min), std::min(request.range.max, range.max)};
  } else {
    request.key.reset();
  }
  if (const std::string_view continuation = exchange.header(header::kContinuation); !continuation.empty()) {
    TRY_ASSIGN(request.from, decode_continuation(continuation, container));
  }
  TRY_ASSIGN(request.items_max, items_max(exchange, kFeedPageItemsDefault, kFeedPageItemsMax));
  return request;
}

void answer_page(Exchange& exchange, const Container& container, const Result<FeedPage>& page) {
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
  if (page->next) exchange.response().header(header::kContinuation, encode_continuation(*page->next, container));
  const PartitionPlace& place = page->place == nullptr ? container.places.front() : *page->place;
  exchange.set_session(container, place, page->place == nullptr ? place.partition->durable_lsn() : page->lsn);
  exchange.finish(200);
}

}  // namespace

void list_items(const Service& service, ExchangePtr exchange) {
  const Result<std::shared_ptr<const Container>> container = service.container(*exchange);
  if (!container) return exchange->answer_error(container.error());
  if (!exchange->header(header::kIncrementalFeed).empty()) {
    return exchange->answer_error({ErrorCode::kInvalidInput, "The change feed of documents is not served yet."});
  }
  const Result<FeedRequest> request = parse_request(*exchange, **container);
  if (!request) return exchange->answer_error(request.error());
  read_feed(*container, *request, [container = *container, exchange = std::move(exchange)](Result<FeedPage> page) {
    answer_page(*exchange, *container, page);
  });
}

}  // namespace partita::cosmos
