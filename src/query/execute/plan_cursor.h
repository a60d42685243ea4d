#pragma once

#include "query/execute/execution.h"
#include "query/execute/position.h"
#include "query/execute/source_cursor.h"
#include "query/plan/plan.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

namespace partita::query {

class GroupTable;
class RankBuffer;
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

  // Where this stands: behind the row that next() gave last, and behind rows of the source that it read since. Another cursor can
  // go on from there, over a source that starts as scan_start() says.
  Position position() const;
  // To be called before the first next().
  void continue_from(const Position& position, Resume resume);

  // Of the row that next() gave.
  Origin origin() const;
  Place place() const { return place_; }

 private:
  // Each stage pulls from the one before it.
  Step next_source_row();           // sources and filter
  Step next_grouped_row();          // or groups of them, in the slots
  Step next_projected(Datum& row);  // in order
  Step fill_groups();
  bool count_documents();
  bool add_count();
  bool add_aggregates();
  const PreparedRow* prepared() const { return rows_ != nullptr ? rows_->prepared() : nullptr; }
  bool is_past_hits() const { return rows_ != nullptr && rows_->is_past_hits(); }
  Step fill_sort(Datum& row);
  Step fill_rank(Datum& row);
  bool project(Datum& row);
  bool is_dropped(const Datum& row);
  bool is_repeated(const Datum& row);

  void begin();
  bool has_sorted_source() const;
  std::optional<uint64_t> sorted_rows_max() const;
  // How many rows of the order are wanted at all.
  std::optional<uint64_t> ordered_rows_max() const;
  Origin origin_of_slots() const;
  Place place_of_row() const;
  Place place_in_unit() const;
  Position counts() const;
  Position streaming_position() const;

  const Plan& plan_;
  Execution& execution_;
  RowSource* rows_;
  SourceCursor sources_;
  std::unique_ptr<GroupTable> groups_;
  std::unique_ptr<SortBuffer> sorted_;
  std::unique_ptr<RankBuffer> ranked_;
  std::unordered_set<std::string> distinct_;
  size_t distinct_bytes_ = 0;
  Position base_;  // of an earlier cursor
  Resume resume_ = Resume::kSkip;
  bool is_begun_ = false;
  bool is_counted_ = false;
  Place place_ = Place::kBehind;
  bool is_past_position_ = false;  // of a sorted plan: so is all that follows
  uint64_t skipped_ = 0;
  uint64_t taken_ = 0;
  uint64_t ordinal_ = 0;       // of the row, among those of the document, or row of the sub-query, that it comes from
  uint64_t counted_unit_ = 0;  // which one that is
  Arena::Mark row_mark_;       // below the memory of the row that was given out last
  bool has_row_ = false;
  uint64_t rows_with_hits_ = 0;  // in the sort
};

}  // namespace partita::query
