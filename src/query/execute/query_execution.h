#pragma once

#include "base/result.h"
#include "query/execute/execution.h"
#include "query/execute/plan_cursor.h"
#include "query/execute/source_cursor.h"
#include "query/plan/plan.h"

#include <cstdint>

namespace partita::query {

// QueryExecution: one run of a plan over a source of rows.
//
// Not thread-safe. The plan, the source and the environment outlive it. A caller may stop after any row, keep position(), and go
// on later with another execution over a source that starts as scan_start() says.
class QueryExecution {
 public:
  enum class Step : uint8_t {
    kRow,    // a result
    kEnd,    // there are no more
    kPause,  // the pace asks for a break; call again to go on
  };

  QueryExecution(const Plan& plan, RowSource& rows, const Environment& environment, const Position& resumed = {});

  // The row is valid until the next call. After an error there is nothing more.
  Result<Step> next(Value& row);

  // When to pause; for the following calls of next().
  void set_pace(const Pace& pace) { cursor_.sources().set_pace(pace, &clock_); }
  // Behind the row that next() gave last.
  // REQUIRES: next() gave a row or a pause, and not the end.
  Position position() const { return cursor_.position(); }
  // Rows that this run took from the source.
  uint64_t rows_read() const { return cursor_.sources().rows_read(); }

 private:
  const Clock& clock_;
  Execution execution_;
  PlanCursor cursor_;
  StoredWriter writer_;
};

}  // namespace partita::query
