#include "auth/request_date.h"
#include "cluster/tenants.h"
#include "document/json/json.h"
#include "gateway/feeds/change_feed.h"
#include "gateway/feeds/feed.h"
#include "protocols/cosmos/codec/changes/change_etag.h"
#include "protocols/cosmos/codec/changes/wait_preference.h"
#include "protocols/cosmos/handlers/handlers.h"
#include "protocols/cosmos/handlers/items/feed_scope.h"
#include "protocols/cosmos/handlers/metadata_feed.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace partita::cosmos {
namespace {

// Who was told of changes and found nothing that concerns it is told again of others after so long at the earliest.
constexpr int64_t kPauseBetweenReadsUs = 100'000;

constexpr std::string_view kLatestVersions = "Incremental feed";
constexpr std::string_view kAllVersions = "Full-Fidelity Feed";

// The format in which a document and what is said of its change lie apart. All versions always come so, latest versions upon
// request.
constexpr std::string_view kFormatWithMetadata = "2021-09-15";

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

void append_changed_with_metadata(std::string& out, const Item& item) {
  out += "{\"current\":";
  append_json(out, item.document());
  out += fmt::format(",\"metadata\":{{\"lsn\":{},\"crts\":{}}}}}", item.lsn().value, item.view().written_seconds());
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

// Everything but the charge.
void set_page_headers(Exchange& exchange, const Container& container, const ChangePage& page) {
  exchange.set_etag(encode_change_etag(page));
  exchange.set_owner(container);
  exchange.set_session(*page.place, page.lsn);
  exchange.response().header(header::kItemCount, std::to_string(page.size()));
}

bool is_news(const ChangePage& page) { return page.size() > 0 || page.has_more; }

void answer_page(Exchange& exchange, const Container& container, const Result<ChangePage>& page) {
  if (!page) return exchange.answer_error(page.error());
  exchange.set_charge(page->charge);
  set_page_headers(exchange, container, *page);
  if (!is_news(*page)) return exchange.answer(304);
  std::string& body = exchange.response().body;
  begin_feed_body(body, container.rid(), "Documents");
  const auto append =
      exchange.header(header::kChangeFeedFormat) == kFormatWithMetadata ? append_changed_with_metadata : append_changed;
  for (const Item& item : page->items) {
    if (&item != &page->items.front()) body += ',';
    append(body, item);
  }
  for (const ChangeVersion& change : page->versions) {
    if (&change != &page->versions.front()) body += ',';
    append_version(body, change, container.definition.partition_key);
  }
  end_feed_body(body, page->size());
  exchange.finish(200);
}

// How long the client wants to wait for changes; 0: not at all.
Result<int64_t> parse_wait(const Service& service, Exchange& exchange) {
  int64_t wait_ms = 0;
  if (const auto interval = exchange.request().find_header(header::kMaxPollingInterval)) {
    TRY_ASSIGN(wait_ms, parse_polling_interval(*interval));
  }
  if (const auto preferred = parse_wait_preference(exchange.header(header::kPrefer))) {
    wait_ms = std::min(*preferred, service.change_wait_ms_max());
    exchange.response().header(header::kPreferenceApplied, fmt::format("wait={}", wait_ms / 1000));
  }
  return std::min(wait_ms, service.change_wait_ms_max());
}

// ChangeFeedAnswer: one request for changes from its first look to its answer, which may take several looks with waits between
// them. While it waits it holds neither a container nor a partition, so nothing is kept from being dropped.
//
// Not thread-safe; owned by whoever goes on with it. Whatever is answered after a wait is authorized anew.
struct ChangeFeedAnswer {
  const Service& service;
  ExchangePtr exchange;
  int64_t until_us = 0;  // 0: it does not wait
  // Since the first look.
  Tenant tenant = {};
  std::string container_rid = {};
  std::optional<ChangePosition> position = {};  // where to go on
  double charge = 0;                            // of all looks
  net::HttpResponse unanswered = {};            // the response without the headers that say that nothing has changed
  bool has_waited = false;

  bool may_wait() const { return service.clock().steady_us() < until_us; }
};
using ChangeFeedAnswerPtr = std::unique_ptr<ChangeFeedAnswer>;

void look(ChangeFeedAnswerPtr answer);

// Goes on with a look on a worker, if it still may.
void look_again(ChangeFeedAnswerPtr answer) {
  ChangeFeedAnswer& kept = *answer;
  const Service& service = kept.service;
  service.continue_by_worker(kept.tenant, std::move(kept.exchange),
                             [answer = std::move(answer)](ExchangePtr exchange, Turn&) mutable {
                               if (const Status allowed = answer->service.check_authorization(*exchange); !allowed) {
                                 return exchange->answer_error(allowed.error());
                               }
                               answer->exchange = std::move(exchange);
                               look(std::move(answer));
                             });
}

// With the headers that were set before the wait.
void answer_nothing_new(ChangeFeedAnswer& answer) {
  Exchange& exchange = *answer.exchange;
  if (const Status allowed = answer.service.check_authorization(exchange); !allowed) {
    exchange.response() = std::move(answer.unanswered);
    return exchange.answer_error(allowed.error());
  }
  exchange.set_charge(answer.charge);
  exchange.answer(304);
}

void end_wait(ChangeFeedAnswerPtr answer, const Result<ChangeNews>& news) {
  if (news && *news != ChangeNews::kChanged && *news != ChangeNews::kPartitionGone) return answer_nothing_new(*answer);
  Exchange& exchange = *answer->exchange;
  exchange.response() = std::move(answer->unanswered);
  if (!news) return exchange.answer_error(news.error());
  look_again(std::move(answer));
}

void wait(ChangeFeedAnswerPtr answer, std::vector<ChangeSubscriptions::Awaited> awaited) {
  const Service& service = answer->service;
  const int64_t pause_us = std::exchange(answer->has_waited, true) ? kPauseBetweenReadsUs : 0;
  ChangeSubscriptions::Subscription subscription{.database = answer->tenant.database,
                                                 .awaited = std::move(awaited),
                                                 .until_us = answer->until_us,
                                                 .not_before_us = service.clock().steady_us() + pause_us,
                                                 .is_abandoned = answer->exchange->request().is_abandoned,
                                                 .tell = {}};
  subscription.tell = [answer = std::move(answer)](const Result<ChangeNews>& news) mutable { end_wait(std::move(answer), news); };
  service.changes().subscribe(std::move(subscription));
}

// Leaves the headers of a 304 in the response, so that nothing has to be looked up when the time is over.
void begin_wait(ChangeFeedAnswerPtr answer, const Container& container, const EffectiveKeyRange& range, const ChangePage& page) {
  Exchange& exchange = *answer->exchange;
  answer->container_rid = container.rid();
  answer->position = page.next;
  answer->unanswered = exchange.response();
  set_page_headers(exchange, container, page);
  wait(std::move(answer), changes_behind(container, range, page.next));
}

// On a worker: this may be the thread of a committer.
void wait_by_worker(ChangeFeedAnswerPtr answer, std::shared_ptr<const Container> container, EffectiveKeyRange range,
                    ChangePage page) {
  if (answer->exchange->turn() != nullptr) return begin_wait(std::move(answer), *container, range, page);
  ChangeFeedAnswer& kept = *answer;
  kept.service.continue_by_worker(kept.tenant, std::move(kept.exchange),
                                  [answer = std::move(answer), container = std::move(container), range = std::move(range),
                                   page = std::move(page)](ExchangePtr exchange, Turn&) mutable {
                                    answer->exchange = std::move(exchange);
                                    begin_wait(std::move(answer), *container, range, page);
                                  });
}

void finish_look(ChangeFeedAnswerPtr answer, std::shared_ptr<const Container> container, EffectiveKeyRange range,
                 Result<ChangePage> page) {
  double& charge = page ? page->charge : page.error().charge;
  charge = answer->charge += charge;
  if (page && !is_news(*page) && answer->may_wait()) {
    return wait_by_worker(std::move(answer), std::move(container), std::move(range), *std::move(page));
  }
  const size_t bytes = page ? page->bytes : 0;
  answer->service.answer_large(
      answer->tenant, std::move(answer->exchange), bytes,
      [container = std::move(container), page = std::move(page)](Exchange& later) { answer_page(later, *container, page); });
}

// The container is looked for at each look, because it may have been deleted, and its partitions split or merged.
void look(ChangeFeedAnswerPtr answer) {
  Exchange& exchange = *answer->exchange;
  const Result<std::shared_ptr<const Container>> container = answer->service.container(exchange);
  if (!container) return exchange.answer_error(container.error());
  if (!answer->container_rid.empty() && answer->container_rid != (*container)->rid()) {
    return exchange.answer_error(
        {ErrorCode::kContainerRecreated, "The container was deleted and created anew while the request waited for changes."});
  }
  Result<ChangeFeedRequest> request = parse_request(answer->service, exchange, **container);
  if (!request) return exchange.answer_error(request.error());
  if (answer->position) {
    request->from = answer->position;
    request->starts_now = false;
  }
  answer->tenant = tenant_of(**container);
  read_changes(*container, *request,
               [answer = std::move(answer), container = *container, range = request->range](Result<ChangePage> page) mutable {
                 finish_look(std::move(answer), std::move(container), std::move(range), std::move(page));
               });
}

}  // namespace

// What has changed since the position in If-None-Match; 304 when nothing has, at once or after as long as the client wants to
// wait. Every answer's ETag is the position to go on from.
void read_change_feed(const Service& service, ExchangePtr exchange) {
  const Result<int64_t> wait_ms = parse_wait(service, *exchange);
  if (!wait_ms) return exchange->answer_error(wait_ms.error());
  const int64_t until_us = *wait_ms > 0 ? service.clock().steady_us() + *wait_ms * 1000 : 0;
  look(std::make_unique<ChangeFeedAnswer>(
      ChangeFeedAnswer{.service = service, .exchange = std::move(exchange), .until_us = until_us}));
}

}  // namespace partita::cosmos
