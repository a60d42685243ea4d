#include "auth/request_date.h"
#include "cluster/tenants.h"
#include "document/json.h"
#include "gateway/change_feed.h"
#include "gateway/feed.h"
#include "protocols/cosmos/codec/change_etag.h"
#include "protocols/cosmos/handlers/feed_scope.h"
#include "protocols/cosmos/handlers/handlers.h"
#include "protocols/cosmos/handlers/metadata_feed.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace partita::cosmos {
namespace {

constexpr std::string_view kLatestVersions = "Incremental feed";
constexpr std::string_view kAllVersions = "Full-Fidelity Feed";

Result<ChangeFeedMode> parse_mode(std::string_view text) {
  if (net::equal_without_case(text, kLatestVersions)) return ChangeFeedMode::kLatestVersions;
  if (net::equal_without_case(text, kAllVersions)) return ChangeFeedMode::kAllVersions;
  return fail(ErrorCode::kInvalidInput,
              fmt::format("The change feed has no mode '{}', only '{}' and '{}'.", text, kLatestVersions, kAllVersions));
}

Result<ChangeFeedRequest> parse_request(const Service& service, const Exchange& exchange, const Container& container) {
  ChangeFeedRequest request;
  TRY_ASSIGN(request.mode, parse_mode(exchange.header(header::kIncrementalFeed)));
  const std::string_view if_none_match = exchange.header(header::kIfNoneMatch);
  request.starts_now = if_none_match == "*";
  if (!if_none_match.empty() && !request.starts_now) {
    TRY_ASSIGN(request.from, decode_change_etag(if_none_match));
  }
  // A range that is gone has its changes where its hashes are now: SDKs that begin with an old map would give up upon 410.
  const EffectiveKeyRange everything;
  TRY_ASSIGN(FeedScope scope, feed_scope(exchange, container, &everything));
  request.range = std::move(scope.range);
  request.key = std::move(scope.key);
  if (const std::string_view since = exchange.header(header::kIfModifiedSince); !since.empty()) {
    TRY_ASSIGN(request.since_seconds, auth::parse_rfc1123(since));
  }
  request.terms = service.terms(exchange);
  request.turn = exchange.turn();
  TRY_ASSIGN(request.items_max, items_max(exchange, kChangePageItemsDefault, kFeedPageItemsMax));
  return request;
}

// The document, and the write that it comes from.
void append_changed(std::string& out, const Item& item) {
  append_json(out, item.document());
  out.pop_back();
  out += fmt::format(",\"_lsn\":{}}}", item.lsn().value);
}

// The key as an object with a member for each path that has a value.
void append_key(std::string& out, const Value& document, const PartitionKeyDefinition& definition) {
  out += '{';
  const size_t start = out.size();
  for (const DocumentPath& path : definition.paths) {
    const Value value = path.resolve(document);
    if (value.is_undefined()) continue;
    if (out.size() > start) out += ',';
    append_json_string(out, fmt::format("{}", fmt::join(path.segments, "/")));
    out += ':';
    append_json(out, value);
  }
  out += '}';
}

std::string_view operation_of(VersionKind kind) {
  switch (kind) {
    case VersionKind::kCreated: return "create";
    case VersionKind::kReplaced: return "replace";
    case VersionKind::kErased: return "delete";
  }
  return "";
}

// The document, where it came from and what it was; of a deleted one its names.
void append_version(std::string& out, const ChangeVersion& change, const PartitionKeyDefinition& definition) {
  const ItemVersion& version = change.version;
  const bool is_erased = version.kind() == VersionKind::kErased;
  out += "{\"current\":";
  if (is_erased) {
    out += "{}";
  } else {
    append_json(out, version.document());
  }
  if (change.previous) {
    out += ",\"previous\":";
    append_json(out, change.previous->document());
  }
  out += fmt::format(",\"metadata\":{{\"operationType\":\"{}\",\"lsn\":{},\"crts\":{}", operation_of(version.kind()),
                     version.lsn.value, version.seconds());
  if (version.previous().value > 0) out += fmt::format(",\"previousImageLSN\":{}", version.previous().value);
  if (is_erased) {
    out += fmt::format(",\"timeToLiveExpired\":{},\"id\":", version.has_expired());
    append_json(out, version.document().find("id"));
    out += ",\"partitionKey\":";
    append_key(out, version.document(), definition);
  }
  out += "}}";
}

void answer_page(Exchange& exchange, const Container& container, const Result<ChangePage>& page) {
  if (!page) return exchange.answer_error(page.error());
  exchange.set_charge(page->charge);
  exchange.set_etag(encode_change_etag(*page));
  exchange.set_owner(container);
  exchange.set_session(*page->place, page->lsn);
  exchange.response().header(header::kItemCount, std::to_string(page->size()));
  if (page->size() == 0 && !page->has_more) return exchange.answer(304);
  std::string& body = exchange.response().body;
  begin_feed_body(body, container.rid(), "Documents");
  for (const Item& item : page->items) {
    if (&item != &page->items.front()) body += ',';
    append_changed(body, item);
  }
  for (const ChangeVersion& change : page->versions) {
    if (&change != &page->versions.front()) body += ',';
    append_version(body, change, container.definition.partition_key);
  }
  end_feed_body(body, page->size());
  exchange.finish(200);
}

}  // namespace

// What has changed since the position in If-None-Match; 304 when nothing has. Every answer's ETag is the position to go on from.
void read_change_feed(const Service& service, ExchangePtr exchange) {
  const Result<std::shared_ptr<const Container>> container = service.container(*exchange);
  if (!container) return exchange->answer_error(container.error());
  const Result<ChangeFeedRequest> request = parse_request(service, *exchange, **container);
  if (!request) return exchange->answer_error(request.error());
  read_changes(
      *container, *request, [&service, container = *container, exchange = std::move(exchange)](Result<ChangePage> page) mutable {
        const size_t bytes = page ? page->bytes : 0;
        service.answer_large(tenant_of(*container), std::move(exchange), bytes,
                             [container, page = std::move(page)](Exchange& later) { answer_page(later, *container, page); });
      });
}

}  // namespace partita::cosmos
