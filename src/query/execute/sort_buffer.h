#pragma once

#include "query/execute/execution.h"
#include "query/plan/plan.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace partita::query {

// SortBuffer: projected rows in the order of a plan's sort keys. Rows with equal keys keep their order, or reverse it when the
// first key is descending, as an index that is read backwards does. With a limit, only so many rows are kept.
class SortBuffer {
 public:
  SortBuffer(const std::vector<SortKey>& order, std::optional<uint64_t> rows_max, Execution& execution);
  ~SortBuffer();

  // Adds a row; its keys are evaluated from the slots.
  void add(const Datum& row);
  // The next row; false behind the last. No rows can be added any more.
  bool next(Datum& row);

 private:
  struct Row {
    std::vector<KeptDatum> keys;
    KeptDatum value;
    uint64_t sequence = 0;

    size_t bytes() const;
  };

  bool is_before(const Row& left, const Row& right) const;
  void drop_surplus();

  const std::vector<SortKey>& order_;
  std::optional<uint64_t> rows_max_;
  Execution& execution_;
  std::vector<Row> rows_;
  size_t bytes_ = 0;
  uint64_t sequence_ = 0;
  size_t next_ = 0;
  bool is_sorted_ = false;
};

}  // namespace partita::query
