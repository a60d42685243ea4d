#include "protocols/cosmos/handlers/metadata_feed.h"

#include "document/json.h"
#include "partition/request_units.h"

#include <fmt/format.h>

#include <charconv>

namespace partita::cosmos {
namespace {

constexpr size_t kPageDefault = 100;
constexpr size_t kPageMax = 1000;

Result<uint64_t> parse_position(std::string_view text) {
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) {
    return fail(ErrorCode::kInvalidInput, "Invalid Continuation Token: it is not one of ours.");
  }
  return number;
}

Status write_page(Exchange& exchange, std::string_view owner_rid, std::string_view array_name, const std::vector<FeedRow>& rows) {
  TRY_ASSIGN(const size_t max, items_max(exchange, kPageDefault, kPageMax));
  const std::string_view continuation = exchange.header(header::kContinuation);
  uint64_t after = 0;
  if (!continuation.empty()) {
    TRY_ASSIGN(after, parse_position(continuation));
  }
  std::string& body = exchange.response().body;
  begin_feed_body(body, owner_rid, array_name);
  size_t count = 0;
  uint64_t last = 0;
  bool has_more = false;
  for (const FeedRow& row : rows) {
    if (row.number <= after) continue;
    has_more = count == max;
    if (has_more) break;
    if (count++ > 0) body += ',';
    append_json(body, Value::view(row.stored));
    last = row.number;
  }
  end_feed_body(body, count);
  if (has_more) exchange.response().header(header::kContinuation, std::to_string(last));
  exchange.response().header(header::kItemCount, std::to_string(count));
  return {};
}

Result<std::vector<FeedRow>> query_in_request(const Service& service, const Exchange& exchange,
                                              const std::vector<FeedRow>& rows) {
  TRY_ASSIGN(const std::string body, stored_from_json(exchange.request().body));
  return query_listed(rows, Value::view(body), service.query_environment());
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
                          std::vector<FeedRow> rows) {
  if (exchange.operation().action == Action::kQuery) {
    Result<std::vector<FeedRow>> results = query_in_request(service, exchange, rows);
    if (!results) return exchange.answer_error(results.error());
    rows = std::move(*results);
  }
  Status page = write_page(exchange, owner_rid, array_name, rows);
  if (!page) return exchange.answer_error(page.error());
  exchange.set_charge(kMetadataReadCharge);
  exchange.finish(200);
}

}  // namespace partita::cosmos
