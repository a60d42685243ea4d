#pragma once

#include "base/result.h"
#include "query/execute/execution.h"
#include "query/execute/plan_cursor.h"
#include "query/execute/source_cursor.h"
#include "query/plan/plan.h"

#include <cstdint>

namespace partita::query {

// How far an execution has come. Plain numbers, for continuation tokens.
struct Progress {
  PlanCursor::Position position;  // of a streaming plan
  uint64_t results = 0;           // given so far
};

// QueryExecution: one run of a plan over a source of rows.
//
// Not thread-safe. The plan, the source and the environment outlive it. A caller that stops early can go on later:
// - a streaming plan: with a source that starts behind progress().position.rows_done rows;
// - any other plan: with a source that starts at the beginning; the results that were given before are computed and dropped.
class QueryExecution {
 public:
  enum class Step : uint8_t {
    kRow,    // a result
    kEnd,    // there are no more
    kPause,  // the pace asks for a break; call again to go on
  };

  QueryExecution(const Plan& plan, RowSource& rows, const Environment& environment, const Progress& resumed = {});

  // The row is valid until the next call. After an error there is nothing more.
  Result<Step> next(Value& row);

  // When to pause; for the following calls of next().
  void set_pace(const Pace& pace) { cursor_.sources().set_pace(pace, &clock_); }
  Progress progress() const;
  // Rows that this run took from the source.
  uint64_t rows_read() const { return cursor_.sources().rows_read(); }

 private:
  const Plan& plan_;
  const Clock& clock_;
  Execution execution_;
  PlanCursor cursor_;
  uint64_t dropped_left_ = 0;
  uint64_t results_ = 0;
  StoredWriter writer_;
};

}  // namespace partita::query
