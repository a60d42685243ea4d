#include "query/execute/query_execution.h"

namespace partita::query {

QueryExecution::QueryExecution(const Plan& plan, RowSource& rows, const Environment& environment, const Position& resumed)
    : clock_(environment.clock), execution_(environment, plan.slot_count), cursor_(plan, execution_, &rows) {
  cursor_.continue_from(resumed, Resume::kSkip);
}

Result<QueryExecution::Step> QueryExecution::next(Value& row) {
  Datum datum;
  PlanCursor::Step step = cursor_.next(datum);
  if (execution_.has_failed()) return std::unexpected(execution_.failure());
  if (step == PlanCursor::Step::kPause) return Step::kPause;
  if (step == PlanCursor::Step::kEnd) return Step::kEnd;
  if (datum.is_array() || datum.is_object()) {
    row = datum.container();
  } else {
    writer_.clear();
    datum.write_to(writer_);
    row = writer_.view();
  }
  return Step::kRow;
}

}  // namespace partita::query
