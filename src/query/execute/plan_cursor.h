#pragma once

#include "query/execute/execution.h"
#include "query/execute/source_cursor.h"
#include "query/plan/plan.h"

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

namespace partita::query {

class GroupTable;
class SortBuffer;

// PlanCursor: the rows of one plan, pulled one at a time. The reference for every other way to execute a plan.
//
// Not thread-safe. A row is valid until the next call. After a failure of the execution there are no more rows.
class PlanCursor {
 public:
  using Step = SourceCursor::Step;

  PlanCursor(const Plan& plan, Execution& execution, RowSource* rows);
  ~PlanCursor();

  Step next(Datum& row);

  SourceCursor& sources() { return sources_; }
  const SourceCursor& sources() const { return sources_; }

  // Where a streaming plan stands, so that another cursor can go on from there.
  struct Position {
    uint64_t rows_done = 0;       // rows of the source that need not be read again
    uint64_t results_of_row = 0;  // results of the row behind those that were already given or skipped
    uint64_t skipped = 0;         // by the offset
    uint64_t taken = 0;           // of the limit
  };
  Position position() const;
  // To be called before the first next(); the source must stand behind position.rows_done rows.
  void continue_from(const Position& position);

 private:
  // Each stage pulls from the one before it.
  Step next_source_row();           // sources and filter
  Step next_grouped_row();          // or groups of them, in the slots
  Step next_projected(Datum& row);  // in order
  Step fill_groups();
  Step fill_sort(Datum& row);
  bool project(Datum& row);
  bool is_dropped(const Datum& row);
  bool is_repeated(const Datum& row);

  const Plan& plan_;
  Execution& execution_;
  SourceCursor sources_;
  std::unique_ptr<GroupTable> groups_;
  std::unique_ptr<SortBuffer> sorted_;
  std::unordered_set<std::string> distinct_;
  size_t distinct_bytes_ = 0;
  Position base_;  // what earlier cursors did
  uint64_t skipped_ = 0;
  uint64_t taken_ = 0;
  uint64_t results_of_row_ = 0;  // of the current row of the source
  uint64_t counted_row_ = 0;     // which one that is
  uint64_t replayed_left_ = 0;   // results of the first row that were given before
  Arena::Mark row_mark_;         // below the memory of the row that was given out last
  bool has_row_ = false;
};

}  // namespace partita::query
