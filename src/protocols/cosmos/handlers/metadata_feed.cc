#include "protocols/cosmos/handlers/metadata_feed.h"

#include "document/json/json.h"
#include "partition/charge/request_units.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace partita::cosmos {
namespace {

constexpr size_t kPageDefault = 100;
constexpr size_t kPageMax = 1000;
// A query over a list of resources fails after this time, or when it keeps more in memory.
constexpr int64_t kMetadataQueryMicroseconds = 2'000'000;
constexpr size_t kMetadataQueryBytesMax = 32 << 20;
// So many resources are read for one read's charge.
constexpr uint64_t kRowsPerReadCharge = 100;

Result<uint64_t> parse_position(std::string_view text) {
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) {
    return fail(ErrorCode::kInvalidInput, "Invalid Continuation Token: it is not one of ours.");
  }
  return number;
}

Result<ListedRequest> page_in_request(const Exchange& exchange) {
  ListedRequest request;
  TRY_ASSIGN(request.items_max, items_max(exchange, kPageDefault, kPageMax));
  const std::string_view continuation = exchange.header(header::kContinuation);
  if (!continuation.empty()) {
    TRY_ASSIGN(request.after, parse_position(continuation));
  }
  return request;
}

query::Environment environment_of(const Service& service, const Exchange& exchange) {
  query::Environment environment = service.queries().environment();
  environment.is_cancelled = exchange.request().is_abandoned;
  environment.turn = exchange.turn();
  environment.deadline_steady_us = environment.clock.steady_us() + kMetadataQueryMicroseconds;
  environment.row_bytes_max = kMetadataQueryBytesMax;
  environment.buffered_bytes_max = kMetadataQueryBytesMax;
  return environment;
}

Result<ListedPage> read_page(const Service& service, const Exchange& exchange, const Listing& listing) {
  TRY_ASSIGN(const ListedRequest request, page_in_request(exchange));
  if (exchange.operation().action != Action::kQuery) return read_listed(listing, request);
  TRY_ASSIGN(const std::string body, stored_from_json(exchange.request().body));
  return query_listed(listing, Value::view(body), environment_of(service, exchange), request);
}

}  // namespace

Result<size_t> items_max(const Exchange& exchange, size_t fallback, size_t limit) {
  const std::string_view text = exchange.header(header::kMaxItemCount);
  if (text.empty() || text == "-1") return fallback;
  int64_t asked = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), asked);
  if (error != std::errc() || end != text.data() + text.size() || asked < 1) {
    return fail(ErrorCode::kInvalidInput, fmt::format("The page size '{}' is not -1 or a whole number above 0.", text));
  }
  return std::min(static_cast<size_t>(asked), limit);
}

void begin_feed_body(std::string& out, std::string_view owner_rid, std::string_view array_name) {
  out += "{\"_rid\":";
  append_json_string(out, owner_rid);
  out += ",\"";
  out += array_name;
  out += "\":[";
}

void end_feed_body(std::string& out, size_t count) {
  out += "],\"_count\":";
  out += std::to_string(count);
  out += '}';
}

void answer_metadata_feed(const Service& service, Exchange& exchange, std::string_view owner_rid, std::string_view array_name,
                          const Listing& listing) {
  const Result<ListedPage> page = read_page(service, exchange, listing);
  if (!page) return exchange.answer_error(page.error());
  std::string& body = exchange.response().body;
  begin_feed_body(body, owner_rid, array_name);
  for (const FeedRow& row : page->rows) {
    if (&row != &page->rows.front()) body += ',';
    append_json(body, Value::view(row.stored));
  }
  end_feed_body(body, page->rows.size());
  if (page->has_more) exchange.response().header(header::kContinuation, std::to_string(page->rows.back().number));
  exchange.response().header(header::kItemCount, std::to_string(page->rows.size()));
  const double hundreds = static_cast<double>(page->rows_read) / static_cast<double>(kRowsPerReadCharge);
  exchange.set_charge(rounded_charge(kMetadataReadCharge * std::max(1.0, hundreds)));
  exchange.finish(200);
}

}  // namespace partita::cosmos
