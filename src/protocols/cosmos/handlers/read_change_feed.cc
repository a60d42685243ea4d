#include "auth/request_date.h"
#include "document/json.h"
#include "gateway/change_feed.h"
#include "gateway/feed.h"
#include "protocols/cosmos/codec/change_etag.h"
#include "protocols/cosmos/handlers/feed_scope.h"
#include "protocols/cosmos/handlers/handlers.h"
#include "protocols/cosmos/handlers/metadata_feed.h"

#include <fmt/format.h>

namespace partita::cosmos {
namespace {

constexpr std::string_view kLatestVersions = "Incremental feed";

Result<ChangeFeedRequest> parse_request(const Service& service, const Exchange& exchange, const Container& container) {
  const std::string_view mode = exchange.header(header::kIncrementalFeed);
  if (!net::equal_without_case(mode, kLatestVersions)) {
    return fail(ErrorCode::kInvalidInput,
                fmt::format("The change feed has no mode '{}'; '{}' is served.", mode, kLatestVersions));
  }
  ChangeFeedRequest request;
  const std::string_view if_none_match = exchange.header(header::kIfNoneMatch);
  request.starts_now = if_none_match == "*";
  if (!if_none_match.empty() && !request.starts_now) {
    TRY_ASSIGN(request.from, decode_change_etag(if_none_match));
  }
  const EffectiveKeyRange everything;
  TRY_ASSIGN(FeedScope scope, feed_scope(exchange, container, request.from ? &everything : nullptr));
  request.range = std::move(scope.range);
  request.key = std::move(scope.key);
  if (const std::string_view since = exchange.header(header::kIfModifiedSince); !since.empty()) {
    TRY_ASSIGN(request.since_seconds, auth::parse_rfc1123(since));
  }
  request.terms = service.terms(exchange);
  TRY_ASSIGN(request.items_max, items_max(exchange, kChangePageItemsDefault, kFeedPageItemsMax));
  return request;
}

// The document, and the write that it comes from.
void append_changed(std::string& out, const Item& item) {
  append_json(out, item.document());
  out.pop_back();
  out += fmt::format(",\"_lsn\":{}}}", item.lsn().value);
}

void answer_page(Exchange& exchange, const Container& container, const Result<ChangePage>& page) {
  if (!page) return exchange.answer_error(page.error());
  exchange.set_charge(page->charge);
  exchange.set_etag(encode_change_etag(*page));
  exchange.set_owner(container);
  exchange.set_session(*page->place, page->lsn);
  exchange.response().header(header::kItemCount, std::to_string(page->items.size()));
  if (page->items.empty() && !page->has_more) return exchange.answer(304);
  std::string& body = exchange.response().body;
  begin_feed_body(body, container.rid(), "Documents");
  for (const Item& item : page->items) {
    if (&item != &page->items.front()) body += ',';
    append_changed(body, item);
  }
  end_feed_body(body, page->items.size());
  exchange.finish(200);
}

}  // namespace

// What has changed since the position in If-None-Match; 304 when nothing has. Every answer's ETag is the position to go on from.
void read_change_feed(const Service& service, ExchangePtr exchange) {
  const Result<std::shared_ptr<const Container>> container = service.container(*exchange);
  if (!container) return exchange->answer_error(container.error());
  const Result<ChangeFeedRequest> request = parse_request(service, *exchange, **container);
  if (!request) return exchange->answer_error(request.error());
  read_changes(*container, *request, [container = *container, exchange = std::move(exchange)](const Result<ChangePage>& page) {
    answer_page(*exchange, *container, page);
  });
}

}  // namespace partita::cosmos
