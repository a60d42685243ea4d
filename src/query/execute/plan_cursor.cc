#include "query/execute/plan_cursor.h"

#include "query/execute/evaluator.h"
#include "query/execute/group_table.h"
#include "query/execute/sort_buffer.h"

namespace partita::query {
namespace {

// A sort needs no more rows than offset and limit let through, unless DISTINCT drops some in between.
std::optional<uint64_t> sorted_rows_max(const Plan& plan) {
  return plan.limit && !plan.is_distinct ? std::optional(plan.offset + *plan.limit) : std::nullopt;
}

}  // namespace

PlanCursor::PlanCursor(const Plan& plan, Execution& execution, RowSource* rows)
    : plan_(plan), execution_(execution), sources_(plan.sources, execution, rows) {
  if (plan.grouping) groups_ = std::make_unique<GroupTable>(*plan.grouping, execution);
  if (!plan.order.empty()) sorted_ = std::make_unique<SortBuffer>(plan.order, sorted_rows_max(plan), execution);
}

PlanCursor::~PlanCursor() { execution_.release(distinct_bytes_); }

void PlanCursor::continue_from(const Position& position) {
  base_ = position;
  skipped_ = position.skipped;
  taken_ = position.taken;
  replayed_left_ = position.results_of_row;
}

// A row of a lone scan is done with its only result; with joins there may be more to come, so it has to be read again. A plan
// without a scan counts as one row that is never done.
PlanCursor::Position PlanCursor::position() const {
  bool has_scan = !plan_.sources.empty() && plan_.sources.front().kind == Source::Kind::kScan;
  bool has_begun = sources_.rows_read() > 0 || results_of_row_ > 0;
  if (!has_begun) return base_;
  if (!has_scan) return {0, results_of_row_, skipped_, taken_};
  uint64_t rows_done = base_.rows_done + sources_.rows_read();
  bool is_row_open = plan_.sources.size() > 1 && results_of_row_ > 0 && counted_row_ == sources_.rows_read();
  return is_row_open ? Position{rows_done - 1, results_of_row_, skipped_, taken_} : Position{rows_done, 0, skipped_, taken_};
}

PlanCursor::Step PlanCursor::next(Datum& row) {
  if (std::exchange(has_row_, false)) execution_.arena().rewind(row_mark_);
  while (!plan_.limit || taken_ < *plan_.limit) {
    row_mark_ = execution_.arena().mark();
    Step step = next_projected(row);
    if (!execution_.keep_going()) return Step::kEnd;
    if (step != Step::kRow) return step;
    if (!is_dropped(row)) {
      ++taken_;
      has_row_ = true;
      return Step::kRow;
    }
    execution_.arena().rewind(row_mark_);
  }
  return Step::kEnd;
}

// Rows that were given before, repeated ones, and those that the offset skips.
bool PlanCursor::is_dropped(const Datum& row) {
  if (std::exchange(counted_row_, sources_.rows_read()) != sources_.rows_read()) results_of_row_ = 0;
  ++results_of_row_;
  if (replayed_left_ > 0) {
    --replayed_left_;
    return true;
  }
  if (is_repeated(row)) return true;
  if (skipped_ == plan_.offset) return false;
  ++skipped_;
  return true;
}

PlanCursor::Step PlanCursor::next_source_row() {
  while (true) {
    Step step = sources_.next();
    if (step != Step::kRow || !plan_.filter) return step;
    ArenaScope scope(execution_.arena());
    if (evaluate(*plan_.filter, execution_).is_true()) return step;
  }
}

PlanCursor::Step PlanCursor::fill_groups() {
  Step step = next_source_row();
  for (; step == Step::kRow; step = next_source_row()) {
    ArenaScope scope(execution_.arena());
    groups_->add_row();
  }
  return step;
}

PlanCursor::Step PlanCursor::next_grouped_row() {
  if (!groups_) return next_source_row();
  if (fill_groups() == Step::kPause) return Step::kPause;
  return execution_.keep_going() && groups_->next_group() ? Step::kRow : Step::kEnd;
}

bool PlanCursor::project(Datum& row) {
  row = evaluate(plan_.projection, execution_);
  return !row.is_undefined();
}

PlanCursor::Step PlanCursor::fill_sort(Datum& row) {
  Step step = next_grouped_row();
  for (; step == Step::kRow; step = next_grouped_row()) {
    ArenaScope scope(execution_.arena());
    if (project(row)) sorted_->add(row);
  }
  return step;
}

PlanCursor::Step PlanCursor::next_projected(Datum& row) {
  if (sorted_) {
    if (fill_sort(row) == Step::kPause) return Step::kPause;
    return execution_.keep_going() && sorted_->next(row) ? Step::kRow : Step::kEnd;
  }
  while (true) {
    Step step = next_grouped_row();
    if (step != Step::kRow) return step;
    row_mark_ = execution_.arena().mark();
    if (project(row)) return step;
    execution_.arena().rewind(row_mark_);
  }
}

bool PlanCursor::is_repeated(const Datum& row) {
  if (!plan_.is_distinct) return false;
  std::string identity;
  append_identity(identity, row);
  size_t bytes = sizeof(std::string) + identity.size();
  if (!distinct_.insert(std::move(identity)).second) return true;
  distinct_bytes_ += bytes;
  execution_.buffer(bytes);
  return false;
}

}  // namespace partita::query
