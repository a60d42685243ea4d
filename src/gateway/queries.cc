#include "gateway/queries.h"

#include "partition/request_units.h"

namespace partita {
namespace {

constexpr size_t kRowsPerRead = 256;

// DocumentRows: a container's documents as the source of a query, read page by page, from a position on or all of them.
class DocumentRows final : public query::RowSource {
 public:
  DocumentRows(const Container& container, const query::Plan& plan, const QueryRequest& request,
               std::vector<Unsettled>& unsettled)
      : container_(container), unsettled_(unsettled), whole_(request.range) {
    request_.range = request.range;
    request_.key = request.key;
    request_.items_max = kRowsPerRead;
    if (!request.from) return;
    const query::Position& scan = request.from->progress.of_scan();
    if (scan.origin.number == 0) return;
    const uint64_t open = scan.is_open || scan.is_repeated ? 1 : 0;
    const FeedPosition position{request.from->range, DocumentNumber{scan.origin.number - open}};
    if (query::scan_start(plan, is_sorted()) == query::ScanStart::kPosition) {
      request_.from = position;
    } else {
      seen_ = position;
      request_.range.max = std::min(request_.range.max, position.range.min);
    }
  }

  Result<Value> next() override {
    while (at_ == page_.items.size()) {
      if (is_last_page_ && !start_behind_seen()) return Value();
      TRY(read_page());
    }
    ++rows_;
    bytes_ += page_.items[at_].record.size();
    return page_.items[at_++].document();
  }

  uint64_t number() const override { return at_ == 0 ? 0 : page_.items[at_ - 1].number.value; }
  const EffectiveKeyRange& range() const { return page_.item_ranges[at_ - 1]; }

  // Documents below the position's range were seen, and within it those up to its number.
  bool is_seen() const override {
    if (!seen_) return false;
    return !is_behind_lower_ranges_ || (range().max <= seen_->range.max && number() <= seen_->after.value);
  }

  uint64_t rows() const { return rows_; }
  size_t bytes() const { return bytes_; }

 private:
  // Ranges may have changed, so what was seen is read in the order of then: the lower ranges, then that of the position.
  bool start_behind_seen() {
    if (!seen_ || is_behind_lower_ranges_) return false;
    is_behind_lower_ranges_ = true;
    is_last_page_ = false;
    request_.range = whole_;
    request_.from = FeedPosition{seen_->range, {}};
    return true;
  }

  Status read_page() {
    at_ = 0;
    TRY_ASSIGN(page_, read_feed_page(container_, request_, unsettled_));
    is_last_page_ = !page_.next.has_value();
    request_.from = page_.next;
    return {};
  }

  const Container& container_;
  std::vector<Unsettled>& unsettled_;
  EffectiveKeyRange whole_;
  FeedRequest request_;
  FeedPage page_;
  size_t at_ = 0;
  bool is_last_page_ = false;
  std::optional<FeedPosition> seen_;
  bool is_behind_lower_ranges_ = false;
  uint64_t rows_ = 0;
  size_t bytes_ = 0;
};

Result<QueryPage> read_page(const Container& container, const query::Plan& plan, const QueryRequest& request,
                            const query::Environment& environment, std::vector<Unsettled>& unsettled) {
  const QueryPosition from = request.from.value_or(QueryPosition{});
  DocumentRows rows(container, plan, request, unsettled);
  query::Environment bounded = environment;
  bounded.deadline_steady_us = environment.clock.steady_us() + kQueryMicrosecondsMax;
  query::QueryExecution execution(plan, rows, bounded, from.progress);
  const bool can_pause = query::scan_start(plan, rows.is_sorted()) == query::ScanStart::kPosition;
  if (can_pause) execution.set_pace({.pause_at_steady_us = environment.clock.steady_us() + kQueryPageMicroseconds});
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
  QueryPosition next{.progress = execution.position(), .range = from.range};
  if (rows.number() > 0 && next.progress.of_scan().origin.number == rows.number()) next.range = rows.range();
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
