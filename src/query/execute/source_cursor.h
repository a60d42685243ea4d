#pragma once

#include "base/result.h"
#include "query/execute/execution.h"
#include "query/execute/position.h"
#include "query/plan/plan.h"
#include "search/relevance.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace partita::query {

class PlanCursor;

// PreparedRow: what a plan computes of one document by itself, computed by somebody else (RowPreparation).
struct PreparedRow {
  bool passes = false;             // the plan's filter
  uint64_t steps = 0;              // of evaluation that this and the values took
  bool has_values = false;         // else the document that next() gave is needed
  std::vector<Datum> values = {};  // of RowPreparation; valid until the next call of next()
};

// RowSource: the documents that a query runs over, in a fixed order. Each has a number above 0 that no other one has.
class RowSource {
 public:
  virtual ~RowSource() = default;
  // The next document, valid until the next call; undefined at the end.
  virtual Result<Value> next() = 0;
  // Of the document that next() gave.
  virtual uint64_t number() const = 0;
  // What the plan that reads them need not compute of that document any more; null: nothing. The document itself is of no use
  // then, unless it passes and has no values.
  virtual const PreparedRow* prepared() const { return nullptr; }
  // Whether that document lies before the position from which the query is resumed.
  virtual bool is_seen() const { return false; }
  // Whether documents come in the order of the sort keys of the plan that reads them (append_sort_key, then compare_ties), so
  // that nothing has to be sorted. Does not change.
  virtual bool is_sorted() const { return false; }
  // Whether what was read is enough for one page: an execution that may pause does so before the next document.
  virtual bool has_read_enough() const { return false; }
  // How many documents that document stands for, itself included: to the plan that reads them the others differ in nothing, they
  // only count.
  virtual uint64_t stands_for() const { return 1; }
  // How many documents pass the filter of the plan that reads them and have a value for the argument of its COUNT, if that is
  // known without reading them; then nothing is read.
  virtual Result<std::optional<uint64_t>> count_passing() { return std::nullopt; }
  // The value of each aggregate of the plan that reads them, which has no keys to group by, if that is known without reading
  // them.
  virtual Result<std::optional<std::vector<double>>> aggregates() { return std::nullopt; }
  // What the texts of all documents have together, for each component of the ranking of the plan that reads them. Empty: nobody
  // knows. Else documents that the filter drops may be missing.
  virtual std::span<const TextStatistics> text_statistics() const { return {}; }
  // Whether no document to come has any of the phrases that the ranking, or the sort key, of the plan looks for, so that all of
  // them come behind those that have one.
  virtual bool is_past_hits() const { return false; }
  // Whether the document that next() gave has one.
  virtual bool is_hit() const { return false; }
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

  // To be called before the first next().
  void continue_from(const Position& position, Resume resume);
  // Of the current row: where its document, or row of a sub-query, comes from; where that lies; and its count among those.
  Origin origin() const;
  Place place() const;
  uint64_t unit() const { return unit_; }
  // There may be further rows with the same document or row of the sub-query.
  bool is_open() const { return current_ > 0; }
  // Of a sub-query in the first source; else null.
  const PlanCursor* rows() const { return levels_.empty() ? nullptr : levels_[0].rows.get(); }

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
  bool reads_documents() const { return !sources_.empty() && sources_[0].kind == Source::Kind::kScan; }

  const std::vector<Source>& sources_;
  Execution& execution_;
  RowSource* rows_;
  std::vector<Level> levels_;
  size_t current_ = 0;
  bool is_started_ = false;
  Pace pace_;
  const Clock* clock_ = nullptr;
  uint64_t rows_read_ = 0;
  uint64_t unit_ = 0;
  Position base_;
  Resume resume_ = Resume::kSkip;
};

}  // namespace partita::query
