#include "query/execute/source_cursor.h"

#include "query/execute/evaluator.h"
#include "query/execute/plan_cursor.h"

namespace partita::query {

SourceCursor::SourceCursor(const std::vector<Source>& sources, Execution& execution, RowSource* rows)
    : sources_(sources), execution_(execution), rows_(rows), levels_(sources.size()) {}

SourceCursor::~SourceCursor() = default;

void SourceCursor::set_pace(const Pace& pace, const Clock* clock) {
  pace_ = pace;
  clock_ = clock;
  if (!levels_.empty() && levels_[0].rows) levels_[0].rows->sources().set_pace(pace, clock);
}

uint64_t SourceCursor::rows_read() const {
  return !levels_.empty() && levels_[0].rows ? levels_[0].rows->sources().rows_read() : rows_read_;
}

void SourceCursor::continue_from(const Position& position, Resume resume) {
  base_ = position;
  resume_ = resume;
}

Origin SourceCursor::origin() const {
  if (rows() != nullptr) return rows()->origin();
  return {.number = reads_documents() ? rows_->number() : 0, .group = {}, .ordinal = 0};
}

// Without documents, the position can only be in the one unit that there is.
Place SourceCursor::place() const {
  if (!base_.has_begun) return Place::kBehind;
  if (rows() != nullptr) return rows()->place();
  if (!reads_documents()) return Place::kAtPosition;
  if (rows_->is_seen()) return Place::kSeen;
  if (rows_->number() != base_.origin.number) return Place::kBehind;
  return base_.is_open || base_.is_repeated ? Place::kAtPosition : Place::kSeen;
}

SourceCursor::Step SourceCursor::next() {
  if (sources_.empty()) {
    bool is_first = !std::exchange(is_started_, true);
    return is_first && execution_.keep_going() ? Step::kRow : Step::kEnd;
  }
  if (!std::exchange(is_started_, true)) open(0);
  while (execution_.keep_going() && levels_[current_].is_open) {
    Step result = step(current_);
    if (result == Step::kPause) return result;
    if (result == Step::kEnd) {
      close(current_);
      if (current_ == 0) return Step::kEnd;
      --current_;
      continue;
    }
    if (current_ == 0 && (reads_documents() || rows() != nullptr)) ++unit_;
    if (current_ + 1 == levels_.size()) return Step::kRow;
    open(++current_);
  }
  return Step::kEnd;
}

void SourceCursor::open(size_t index) {
  Level& level = levels_[index];
  const Source& source = sources_[index];
  level.is_open = true;
  level.index = 0;
  level.mark = execution_.arena().mark();
  if (source.kind == Source::Kind::kRows) {
    level.rows = std::make_unique<PlanCursor>(*source.plan, execution_, index == 0 ? rows_ : nullptr);
    if (index == 0) {
      level.rows->sources().set_pace(pace_, clock_);
      if (base_.inner) level.rows->continue_from(*base_.inner, resume_);
    }
  } else if (source.kind != Source::Kind::kScan) {
    level.array = evaluate(source.scalar, execution_);
  }
}

void SourceCursor::close(size_t index) {
  Level& level = levels_[index];
  rows_read_ = rows_read();
  level.rows.reset();
  level.is_open = false;
  execution_.arena().rewind(level.mark);
}

SourceCursor::Step SourceCursor::step(size_t index) {
  Level& level = levels_[index];
  const Source& source = sources_[index];
  Datum& slot = execution_.slot(source.slot);
  switch (source.kind) {
    case Source::Kind::kScan: return step_scan(source);
    case Source::Kind::kValue:
      if (level.index++ > 0 || level.array.is_undefined()) return Step::kEnd;
      slot = level.array;
      return Step::kRow;
    case Source::Kind::kUnnest:
      if (!level.array.is_array() || level.index >= level.array.size()) return Step::kEnd;
      slot = level.array.element_at(level.index++);
      return Step::kRow;
    case Source::Kind::kRows: return level.rows->next(slot);
  }
  return Step::kEnd;
}

SourceCursor::Step SourceCursor::step_scan(const Source& source) {
  if (should_pause()) return Step::kPause;
  auto row = rows_->next();
  if (!row) {
    execution_.fail(row.error());
    return Step::kEnd;
  }
  if (row->is_undefined()) return Step::kEnd;
  ++rows_read_;
  --pace_.rows_left;
  execution_.slot(source.slot) = Datum::of(*row);
  return Step::kRow;
}

bool SourceCursor::should_pause() const {
  if (pace_.rows_left == 0) return true;
  // A page without a document would get nobody further.
  if (!pace_.pause_at_steady_us || clock_ == nullptr || rows_read_ == 0) return false;
  return clock_->steady_us() >= *pace_.pause_at_steady_us || rows_->has_read_enough() || execution_.wants_pause();
}

}  // namespace partita::query
