#include "client/query/query.h"

#include "client/header_names.h"
#include "client/query/merge.h"

namespace partita::client {
namespace {

constexpr std::string_view kFilterPlaceholder = "{documentdb-formattableorderbyquery-filter}";
constexpr std::string_view kQueryVersion = "1.4";

// Nothing is left out.
std::string without_placeholders(std::string text) {
  for (size_t at = text.find(kFilterPlaceholder); at != std::string::npos; at = text.find(kFilterPlaceholder, at)) {
    text.replace(at, kFilterPlaceholder.size(), "true");
  }
  return text;
}

// One logical partition, or several with a common prefix, or all of a server that makes no plans: it makes their pages whole.
class ServedRows final : public RowSource {
 public:
  ServedRows(Container container, std::string body, std::optional<PartitionKey> key, int64_t page_items)
      : container_(std::move(container)), body_(std::move(body)), key_(std::move(key)), page_items_(page_items) {}

  Answer<std::optional<Row>> next() override {
    while (position_ == page_.size()) {
      if (is_begun_ && continuation_.empty()) return std::nullopt;
      TRY(read_page());
    }
    return page_.row(position_++);
  }
  QueryCost cost() const { return cost_; }

 private:
  Answer<void> read_page() {
    const Request request =
        query_page(container_.name(), {.key = key_}, body_, {.items_max = page_items_, .continuation = continuation_});
    TRY_ASSIGN(const Response response, container_.client().send_expecting_success(request));
    cost_.charge += response.charge();
    ++cost_.requests;
    TRY_ASSIGN(page_, FeedPage::parse(response, "Documents"));
    position_ = 0;
    continuation_ = response.continuation();
    is_begun_ = true;
    return {};
  }

  Container container_;
  std::string body_;
  std::optional<PartitionKey> key_;
  int64_t page_items_;
  FeedPage page_;
  size_t position_ = 0;
  std::string continuation_;
  bool is_begun_ = false;
  QueryCost cost_;
};

// Nothing when the server knows no plans and answered the query instead.
Answer<std::optional<QueryPlan>> ask_for_plan(const Container& container, const std::string& body, QueryCost& cost) {
  Request request = query_page(container.name(), {}, body);
  request.with(header::kIsQueryPlan, "True");
  request.with(header::kSupportedFeatures, std::string(kSupportedQueryFeatures));
  request.with(header::kQueryVersion, std::string(kQueryVersion));
  TRY_ASSIGN(const Response response, container.client().send_expecting_success(std::move(request)));
  cost.charge += response.charge();
  ++cost.requests;
  if (FeedPage::parse(response, "Documents")) return std::nullopt;
  TRY_ASSIGN(QueryPlan plan, QueryPlan::parse(response.body()));
  // A query that can have no rows of its own may still have one: COUNT gives 0. Any partition can say so.
  if (plan.hashes.empty()) plan.hashes.push_back({kEffectiveKeyMin, std::string(1, '\0')});
  return plan;
}

}  // namespace

struct QueryCursor::State {
  QueryPlan plan;
  QueryCost plan_cost;
  std::optional<PartitionRows> rows;  // of several partitions
  ServedRows* served = nullptr;       // else
  std::unique_ptr<RowSource> source;  // uses the others
};

QueryCursor::QueryCursor(std::unique_ptr<State> state) : state_(std::move(state)) {}
QueryCursor::QueryCursor(QueryCursor&&) noexcept = default;
QueryCursor& QueryCursor::operator=(QueryCursor&&) noexcept = default;
QueryCursor::~QueryCursor() = default;

Answer<QueryCursor> QueryCursor::open(const Container& container, const Query& query, const QueryOptions& options) {
  auto state = std::make_unique<State>();
  std::string body = query_body(query.text, query.parameters);
  std::optional<QueryPlan> plan;
  if (!options.key) {
    TRY_ASSIGN(plan, ask_for_plan(container, body, state->plan_cost));
  }
  if (!plan) {
    auto served = std::make_unique<ServedRows>(container, std::move(body), options.key, options.parallel.page_items);
    state->served = served.get();
    state->source = std::move(served);
    return QueryCursor(std::move(state));
  }
  state->plan = *std::move(plan);
  if (!state->plan.rewritten.empty()) body = query_body(without_placeholders(state->plan.rewritten), query.parameters);
  TRY_ASSIGN(PartitionRows rows, PartitionRows::open(container, std::move(body), state->plan.hashes, options.parallel));
  state->rows.emplace(std::move(rows));
  state->source = merge(*state->rows, state->plan);
  return QueryCursor(std::move(state));
}

Answer<std::optional<Row>> QueryCursor::next() { return state_->source->next(); }

QueryCost QueryCursor::cost() const {
  const QueryCost rows = state_->served != nullptr ? state_->served->cost() : state_->rows->cost();
  return {.charge = rows.charge + state_->plan_cost.charge, .requests = rows.requests + state_->plan_cost.requests};
}

}  // namespace partita::client
