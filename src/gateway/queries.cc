#include "gateway/queries.h"

#include "partition/request_units.h"

namespace partita {
namespace {

constexpr size_t kRowsPerRead = 256;

// DocumentRows: a container's documents as the source of a query, read page by page.
class DocumentRows final : public query::RowSource {
 public:
  DocumentRows(const Container& container, const QueryRequest& request, std::optional<FeedPosition> from,
               std::vector<Unsettled>& unsettled)
      : container_(container), unsettled_(unsettled), start_(from) {
    request_.range = request.range;
    request_.key = request.key;
    request_.from = from;
    request_.items_max = kRowsPerRead;
  }

  Result<Value> next() override {
    while (at_ == page_.items.size()) {
      if (is_last_page_) return Value();
      TRY(read_page());
    }
    previous_ = current_;
    current_ = page_.position_after(at_);
    ++rows_;
    bytes_ += page_.items[at_].record.size();
    return page_.items[at_++].document();
  }

  // Where the row behind the first `rows_done` rows is. REQUIRES: rows_done is the number of rows read, or one less.
  std::optional<FeedPosition> position_after(uint64_t rows_done) const {
    if (rows_done == rows_) return rows_ == 0 ? start_ : current_;
    return rows_done == 0 ? start_ : previous_;
  }

  uint64_t rows() const { return rows_; }
  size_t bytes() const { return bytes_; }

 private:
  Status read_page() {
    at_ = 0;
    TRY_ASSIGN(page_, read_feed_page(container_, request_, unsettled_));
    is_last_page_ = !page_.next.has_value();
    request_.from = page_.next;
    return {};
  }

  const Container& container_;
  std::vector<Unsettled>& unsettled_;
  FeedRequest request_;
  FeedPage page_;
  size_t at_ = 0;
  bool is_last_page_ = false;
  std::optional<FeedPosition> start_;
  std::optional<FeedPosition> previous_;
  std::optional<FeedPosition> current_;
  uint64_t rows_ = 0;
  size_t bytes_ = 0;
};

Result<QueryPage> read_page(const Container& container, const query::Plan& plan, const QueryRequest& request,
                            const query::Environment& environment, std::vector<Unsettled>& unsettled) {
  const QueryPosition from = request.from.value_or(QueryPosition{});
  DocumentRows rows(container, request, from.from, unsettled);
  query::Environment bounded = environment;
  bounded.deadline_steady_us = environment.clock.steady_us() + kQueryMicrosecondsMax;
  query::QueryExecution execution(plan, rows, bounded, from.progress);
  if (plan.is_streaming()) execution.set_pace({.pause_at_steady_us = environment.clock.steady_us() + kQueryPageMicroseconds});
  QueryPage page;
  size_t bytes = 0;
  bool is_finished = false;
  bool is_paused = false;
  while (page.rows.size() < request.items_max && bytes < kFeedPageBytesMax) {
    Value row;
    TRY_ASSIGN(const query::QueryExecution::Step step, execution.next(row));
    is_finished = step == query::QueryExecution::Step::kEnd;
    is_paused = step == query::QueryExecution::Step::kPause;
    if (is_finished || is_paused) break;
    bytes += row.bytes().size();
    page.rows.emplace_back(row.bytes());
  }
  QueryPosition next{.from = std::nullopt, .progress = execution.progress()};
  if (plan.is_streaming()) {
    next.from = rows.position_after(next.progress.position.rows_done);
    next.progress.position.rows_done = 0;
  }
  // One row ahead, so that a page which happens to end with the last row says so.
  if (!is_finished && !is_paused) {
    Value row;
    TRY_ASSIGN(const query::QueryExecution::Step step, execution.next(row));
    is_finished = step == query::QueryExecution::Step::kEnd;
  }
  if (!is_finished) page.next = next;
  page.documents_read = rows.rows();
  page.document_bytes_read = rows.bytes();
  page.charge = feed_charge(rows.rows(), rows.bytes());
  return page;
}

}  // namespace

void run_query(const std::shared_ptr<const Container>& container, const query::Plan& plan, const QueryRequest& request,
               const query::Environment& environment, std::move_only_function<void(Result<QueryPage>)> callback) {
  std::vector<Unsettled> unsettled;
  Result<QueryPage> page = read_page(*container, plan, request, environment, unsettled);
  if (!page) return callback(std::move(page));
  when_all_durable(std::move(unsettled), [page = std::move(page), callback = std::move(callback)](Status durable) mutable {
    if (!durable) return callback(std::unexpected(std::move(durable).error()));
    callback(std::move(page));
  });
}

}  // namespace partita
