#include "query/execute/query_execution.h"

namespace partita::query {

QueryExecution::QueryExecution(const Plan& plan, RowSource& rows, const Environment& environment, const Progress& resumed)
    : plan_(plan),
      clock_(environment.clock),
      execution_(environment, plan.slot_count),
      cursor_(plan, execution_, &rows),
      results_(resumed.results) {
  if (plan.is_streaming()) {
    cursor_.continue_from(resumed.position);
  } else {
    dropped_left_ = resumed.results;
  }
}

Result<QueryExecution::Step> QueryExecution::next(Value& row) {
  while (true) {
    Datum datum;
    PlanCursor::Step step = cursor_.next(datum);
    if (execution_.has_failed()) return std::unexpected(execution_.failure());
    if (step == PlanCursor::Step::kPause) return Step::kPause;
    if (step == PlanCursor::Step::kEnd) return Step::kEnd;
    if (dropped_left_ > 0) {
      --dropped_left_;
      continue;
    }
    ++results_;
    if (datum.is_array() || datum.is_object()) {
      row = datum.container();
    } else {
      writer_.clear();
      datum.write_to(writer_);
      row = writer_.view();
    }
    return Step::kRow;
  }
}

Progress QueryExecution::progress() const {
  return {plan_.is_streaming() ? cursor_.position() : PlanCursor::Position(), results_};
}

}  // namespace partita::query
