#pragma once

#include "query/execute/execution.h"
#include "query/execute/position.h"
#include "query/plan/plan.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace partita::query {

// SortBuffer: projected rows in the order of a plan's sort keys, as append_sort_key and compare_ties define it. With a limit,
// only so many rows are kept.
class SortBuffer {
 public:
  // Rows that do not lie behind `after` are not kept.
  SortBuffer(const Plan& plan, std::optional<uint64_t> rows_max, const Position* after, Execution& execution);
  ~SortBuffer();

  // Adds a row; its keys are evaluated from the slots.
  void add(const Datum& row, Origin origin);
  // With keys that somebody else knows.
  void add_in_order(const Datum& row, Origin origin, std::string order);
  // How many were added that do not lie before the position.
  uint64_t wanted() const { return wanted_; }
  // The next row; false behind the last. No rows can be added any more.
  bool next(Datum& row);

  // Of the row that next() gave.
  bool has_row() const { return next_ > 0; }
  const std::string& order() const { return rows_[next_ - 1].order; }
  const Origin& origin() const { return rows_[next_ - 1].origin; }

 private:
  struct Row {
    std::string order;
    Origin origin;
    KeptDatum value;

    size_t bytes() const;
  };

  bool is_before(const Row& left, const Row& right) const;
  bool is_wanted(const Row& row) const;
  void drop_surplus();

  const Plan& plan_;
  std::optional<uint64_t> rows_max_;
  const Position* after_;
  Execution& execution_;
  std::vector<Row> rows_;
  uint64_t wanted_ = 0;
  size_t bytes_ = 0;
  size_t next_ = 0;
  bool is_sorted_ = false;
};

// The sort keys of the row that the slots hold; nothing when the row is left out.
std::optional<std::string> sort_key_of_row(const Plan& plan, Execution& execution);
// Where a row with these lies, as seen from the position of a sorted plan.
Place place_in_order(const Plan& plan, const std::string& order, const Origin& origin, const Position& position);

}  // namespace partita::query
