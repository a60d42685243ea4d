#include "gateway/query/queries.h"

#include "base/must_not_wait.h"
#include "gateway/feeds/partition_page.h"
#include "gateway/query/query_charge.h"
#include "gateway/query/rows/query_rows.h"

#include <algorithm>

namespace partita {
namespace {

// TimedRows: another source, and how long it takes.
class TimedRows final : public query::RowSource {
 public:
  TimedRows(query::RowSource& rows, const Clock& clock) : rows_(rows), clock_(clock) {}

  Result<Value> next() override {
    const int64_t started_us = clock_.steady_us();
    Result<Value> row = rows_.next();
    spent_us_ += clock_.steady_us() - started_us;
    return row;
  }
  uint64_t number() const override { return rows_.number(); }
  const query::PreparedRow* prepared() const override { return rows_.prepared(); }
  bool is_seen() const override { return rows_.is_seen(); }
  bool is_sorted() const override { return rows_.is_sorted(); }
  uint64_t stands_for() const override { return rows_.stands_for(); }
  bool has_read_enough() const override { return rows_.has_read_enough(); }
  Result<std::optional<uint64_t>> count_passing() override {
    const int64_t started_us = clock_.steady_us();
    Result<std::optional<uint64_t>> count = rows_.count_passing();
    spent_us_ += clock_.steady_us() - started_us;
    return count;
  }

  Result<std::optional<std::vector<double>>> aggregates() override {
    const int64_t started_us = clock_.steady_us();
    Result<std::optional<std::vector<double>>> values = rows_.aggregates();
    spent_us_ += clock_.steady_us() - started_us;
    return values;
  }
  std::span<const TextStatistics> text_statistics() const override { return rows_.text_statistics(); }
  bool is_past_hits() const override { return rows_.is_past_hits(); }
  bool is_hit() const override { return rows_.is_hit(); }

  int64_t spent_us() const { return spent_us_; }

 private:
  query::RowSource& rows_;
  const Clock& clock_;
  int64_t spent_us_ = 0;
};

// Every document of one partition: then a full page does not say whether it was the last one, as with the service. Finding out
// means reading another document.
bool gives_every_document(const query::Plan& plan, const Container& container, const QueryRequest& request) {
  const bool is_scan = plan.sources.size() == 1 && plan.sources.front().kind == query::Source::Kind::kScan;
  const bool is_rearranged = plan.grouping || !plan.order.empty() || plan.ranking || plan.is_distinct;
  if (!is_scan || plan.filter || is_rearranged || plan.offset > 0 || plan.limit) return false;
  return std::ranges::count_if(container.places, [&](const PartitionPlace& place) { return concerns(request, place); }) == 1;
}

// Whether another execution, of nothing but the partitions to come, gives what is left: the rows of each are those of a query of
// that partition alone, and none of them is counted.
bool is_sum_of_partitions(const query::Plan& plan) {
  if (plan.sources.empty() || plan.offset > 0 || plan.limit) return false;
  if (query::scan_start(plan, false) != query::ScanStart::kPosition) return false;
  const query::Source& first = plan.sources.front();
  if (first.kind == query::Source::Kind::kRows) return is_sum_of_partitions(*first.plan);
  return first.kind == query::Source::Kind::kScan;
}

// Whether the page may end between any two documents.
bool can_pause(const query::Plan& plan, const QueryRequest& request, const QueryRows& rows) {
  return request.pauses && query::scan_start(plan, rows.is_sorted()) == query::ScanStart::kPosition;
}

Result<QueryPage> open_page(const Container& container, const query::Plan& plan, const QueryRequest& request,
                            const query::Environment& environment, QueryCharge& charge, std::vector<PendingDurability>& pending) {
  const int64_t started_us = environment.clock.steady_us();
  query::Environment bounded = environment;
  bounded.deadline_steady_us = std::min(environment.deadline_steady_us.value_or(INT64_MAX), started_us + kQueryMicrosecondsMax);
  if (!environment.is_trial) bounded.metering = &charge;
  TRY_ASSIGN(const std::unique_ptr<QueryRows> rows, open_rows(container, plan, request, bounded, pending));
  charge.watch(*rows, can_pause(plan, request, *rows));
  Result<QueryPage> page = read_page(*rows, plan, request, bounded, !gives_every_document(plan, container, request));
  charge.unwatch();
  if (page) page->run_us = environment.clock.steady_us() - started_us;
  return page;
}

// The same request, about nothing but the partition that its next page ends with.
QueryRequest of_one_partition(const Container& container, const QueryRequest& request) {
  QueryRequest one = request;
  std::optional<FeedPosition> from;
  if (request.from) from = FeedPosition{request.from->range, DocumentNumber{request.from->progress.of_scan().origin.number}};
  one.range = page_range(container, request.range, from ? &*from : nullptr);
  return one;
}

// The next page of a request that may be a part of another one, which goes on behind it.
void run_page(const std::shared_ptr<const Container>& container, const query::Plan& plan, const QueryRequest& request,
              const QueryRequest& whole, const query::Environment& environment,
              std::move_only_function<void(Result<QueryPage>)> callback) {
  Result<RequestCharge> request_charge = RequestCharge::open(*container, request.range, request.terms);
  if (!request_charge) return callback(std::unexpected(std::move(request_charge).error()));
  std::vector<PendingDurability> pending;
  QueryCharge charge(*request_charge, request.terms, environment);
  Result<QueryPage> page = open_page(*container, plan, request, environment, charge, pending);
  if (MustNotWait::was_refused()) return callback(MustNotWait::refuse());
  if (!page && page.error().code == ErrorCode::kTimeout && environment.is_trial) return callback(std::move(page));
  // What was done for a query that failed was done in vain, but done.
  WorkDone work = page ? page->work : charge.work();
  work.script_us += (std::max(request.text_bytes, kTextBytesFree) - kTextBytesFree) / kTextBytesPerMicrosecond;
  request_charge->spread(work);
  request_charge->spread(charge.evaluation());
  const double sum = request_charge->settle(request.key ? std::string_view(request.range.min) : std::string_view());
  if (!page) {
    page.error().charge = sum;
    return callback(std::move(page));
  }
  page->work = work;
  page->charge = sum;
  page->evaluation_charge = charge.evaluation();
  page->range = request.range;
  if (!page->next && request.range != whole.range) {
    std::optional<EffectiveKeyRange> behind = range_behind(*container, whole.range, request.range, whole.key_ranges);
    if (behind) page->next = {.progress = {}, .range = *std::move(behind)};
  }
  when_all_durable(std::move(pending), [page = std::move(page), callback = std::move(callback)](Status durable) mutable {
    if (!durable) {
      durable.error().charge = page->charge;
      return callback(std::unexpected(std::move(durable).error()));
    }
    callback(std::move(page));
  });
}

}  // namespace

Result<QueryPage> read_page(QueryRows& rows, const query::Plan& plan, const QueryRequest& request,
                            const query::Environment& environment, bool looks_ahead) {
  const QueryPosition from = request.from.value_or(QueryPosition{});
  TimedRows timed(rows, environment.clock);
  query::RowSource& source = request.measures_reading ? static_cast<query::RowSource&>(timed) : rows;
  query::QueryExecution execution(plan, source, environment, from.progress);
  if (can_pause(plan, request, rows))
    execution.set_pace({.pause_at_steady_us = environment.clock.steady_us() + kQueryPageMicroseconds});
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
  // At its end a query has no position, and the memory of its last row is used for what was read behind it.
  if (!is_finished) {
    page.next = {.progress = execution.position(), .range = from.range};
    if (rows.number() > 0 && page.next->progress.of_scan().origin.number == rows.number()) page.next->range = rows.range();
  }
  // One row ahead, so that a page which happens to end with the last row says so.
  if (!is_finished && !is_paused && looks_ahead) {
    Value row;
    TRY_ASSIGN(const query::QueryExecution::Step step, execution.next(row));
    is_finished = step == query::QueryExecution::Step::kEnd;
  }
  if (is_finished) page.next.reset();
  rows.note_page(page.rows.size());
  page.read_us = timed.spent_us();
  page.documents_read = rows.rows();
  page.document_bytes_read = rows.bytes();
  page.index_entries_read = rows.entries_read();
  page.access = rows.use_text();
  page.work = rows.work();
  page.work.result_bytes = bytes;
  if (environment.user_functions != nullptr) page.work.script_us = environment.user_functions->spent_us();
  return page;
}

void run_query(const std::shared_ptr<const Container>& container, const query::Plan& plan, const QueryRequest& request,
               const query::Environment& environment, std::move_only_function<void(Result<QueryPage>)> callback) {
  const bool is_cut = request.ends_with_partition && container->places.size() > 1 && is_sum_of_partitions(plan);
  if (!is_cut) return run_page(container, plan, request, request, environment, std::move(callback));
  run_page(container, plan, of_one_partition(*container, request), request, environment, std::move(callback));
}

}  // namespace partita
