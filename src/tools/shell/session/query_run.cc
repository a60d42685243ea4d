#include "tools/shell/session/query_run.h"

#include "client/feed_page.h"
#include "client/items/item_requests.h"
#include "client/query/query.h"
#include "document/json/terminal_text.h"
#include "tools/shell/text/fault_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace partita::tools {
namespace {

// Without pages, somebody may still want to interrupt.
constexpr size_t kRowsBetweenQuestions = 1'000;

// What somebody can do about it who did not write the server.
std::string_view hint(const client::Failure& failure) {
  switch (failure.code) {
    case ErrorCode::kUnauthorized: return "Give the account's key with --key or PARTITA_KEY.";
    case ErrorCode::kForbidden: return "A read-only key, or the token of a permission, may only read.";
    case ErrorCode::kNotFound:
    case ErrorCode::kOwnerNotFound: return "`show databases` and `show containers` in partita shell tell what there is.";
    case ErrorCode::kThrottled: return "The container's throughput is used up; try again later, or raise it.";
    default: return "";
  }
}

using WantsMore = std::function<bool(const QueryTotals&)>;

// What several partitions give at once, as one result.
client::Answer<QueryTotals> read_merged(client::QueryCursor& cursor, const QueryOrder& order, RowWriter& rows,
                                        const WantsMore& wants_more) {
  QueryTotals totals;
  const auto page_rows = static_cast<size_t>(std::max<int64_t>(order.page_rows, 0));
  while (true) {
    TRY_ASSIGN(const std::optional<client::Row> row, cursor.next());
    totals.charge = cursor.cost().charge;
    totals.requests = cursor.cost().requests;
    if (!row) return totals;
    const bool is_asked = totals.rows > 0 && totals.rows % (page_rows > 0 ? page_rows : kRowsBetweenQuestions) == 0;
    if (is_asked && !wants_more(totals)) return totals;
    rows.add(row->value());
    ++totals.rows;
  }
}

// Of queries that only a server can carry out.
client::Answer<QueryTotals> read_pages(const client::Client& client, const QueryOrder& order, const client::FeedScope& scope,
                                       RowWriter& rows, const WantsMore& wants_more) {
  const std::string body = client::query_body(order.text, order.parameters);
  client::PageOptions page_options{.items_max = order.page_rows, .continuation = {}, .is_merged_by_server = true};
  QueryTotals totals;
  while (true) {
    TRY_ASSIGN(const client::Response response,
               client.send_expecting_success(client::query_page(order.container, scope, body, page_options)));
    TRY_ASSIGN(const client::FeedPage page, client::FeedPage::parse(response, "Documents"));
    for (size_t i = 0; i < page.size(); ++i) rows.add(page.at(i));
    totals.rows += page.size();
    totals.charge += response.charge();
    ++totals.requests;
    page_options.continuation = response.continuation();
    if (page_options.continuation.empty() || !wants_more(totals)) return totals;
  }
}

}  // namespace

Result<PartitionKey> parse_key(const std::string& json) {
  return PartitionKey::parse(json.starts_with('[') ? json : fmt::format("[{}]", json));
}

client::Answer<QueryTotals> run_query(const client::Client& client, const QueryOrder& order, RowWriter& rows,
                                      const std::function<bool(const QueryTotals&)>& wants_more) {
  client::FeedScope scope;
  if (!order.partition_key.empty()) {
    TRY_ASSIGN(scope.key, parse_key(order.partition_key));
  }
  const client::Container container(client, order.container);
  client::Answer<client::QueryCursor> cursor = client::QueryCursor::open(
      container, {.text = order.text, .parameters = order.parameters}, {.key = scope.key, .parallel = {}});
  if (cursor) return read_merged(*cursor, order, rows, wants_more);
  const bool is_for_servers_only = cursor.error().code == ErrorCode::kInvalidInput && cursor.error().status == 0;
  if (!is_for_servers_only) return std::unexpected(cursor.error());
  return read_pages(client, order, scope, rows, wants_more);
}

std::string failure_text(const client::Failure& failure, std::string_view query, std::string_view endpoint) {
  std::string out;
  for (const client::QueryFault& fault : failure.faults) {
    if (!query.empty()) out += point_at(query, fault.start, fault.end);
    out += fmt::format("{}{}\n", terminal_text(fault.message),
                       fault.code.empty() ? "" : fmt::format(" ({})", terminal_text(fault.code)));
  }
  if (failure.faults.empty()) {
    if (failure.code == ErrorCode::kUnauthorized)
      return fmt::format("{} does not take this key. {}\n", terminal_text(endpoint), hint(failure));
    out += terminal_lines(failure.message) + "\n";
  }
  const std::string_view advice = hint(failure);
  return advice.empty() ? out : out + fmt::format("{}\n", advice);
}

}  // namespace partita::tools
