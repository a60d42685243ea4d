#pragma once

#include "base/result.h"
#include "query/execute/execution.h"
#include "query/plan/plan.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace partita::query {

class PlanCursor;

// RowSource: the documents that a query runs over, in a fixed order.
class RowSource {
 public:
  virtual ~RowSource() = default;
  // The next document, valid until the next call; undefined at the end.
  virtual Result<Value> next() = 0;
};

// When an execution should give control back to its caller, between two rows of the source.
struct Pace {
  uint64_t rows_left = UINT64_MAX;
  std::optional<int64_t> pause_at_steady_us = std::nullopt;
};

// SourceCursor: all combinations of rows of a plan's sources, as nested loops over their slots.
class SourceCursor {
 public:
  enum class Step : uint8_t { kRow, kEnd, kPause };

  // `rows` feeds the scan, which may be that of a sub-query in the first source; correlated sub-queries have none.
  SourceCursor(const std::vector<Source>& sources, Execution& execution, RowSource* rows);
  ~SourceCursor();

  Step next();

  void set_pace(const Pace& pace, const Clock* clock);
  // Of the scan: how many rows were read, the current one included.
  uint64_t rows_read() const;

 private:
  // One loop.
  struct Level {
    Datum array;
    size_t index = 0;
    bool is_open = false;
    std::unique_ptr<PlanCursor> rows;
    Arena::Mark mark;
  };

  void open(size_t level);
  void close(size_t level);
  Step step(size_t level);
  Step step_scan(const Source& source);
  bool should_pause() const;

  const std::vector<Source>& sources_;
  Execution& execution_;
  RowSource* rows_;
  std::vector<Level> levels_;
  size_t current_ = 0;
  bool is_started_ = false;
  Pace pace_;
  const Clock* clock_ = nullptr;
  uint64_t rows_read_ = 0;
};

}  // namespace partita::query
