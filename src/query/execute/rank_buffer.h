#pragma once

#include "query/execute/execution.h"
#include "query/execute/position.h"
#include "query/plan/plan.h"
#include "search/relevance.h"

#include <cstdint>
#include <span>
#include <vector>

namespace partita::query {

class SortBuffer;

// RankBuffer: collects projected rows until all are there that a plan's ranking compares them with.
// How rare a phrase is follows from all rows of the source, also from those that the filter drops; the source may know it.
class RankBuffer {
 public:
  // The statistics of all rows, as far as somebody knows them; else they are counted.
  RankBuffer(const Ranking& ranking, std::span<const TextStatistics> statistics, Execution& execution);
  ~RankBuffer();

  // Whether all rows must be observed, not only those that pass the filter.
  bool counts_all() const { return counts_all_; }
  // Counts the row in the slots for the statistics.
  void observe();
  // Adds the row that was observed last.
  void add(const Datum& row, Origin origin);
  // How many rows have one of the phrases.
  uint64_t rows_with_hits() const { return rows_with_hits_; }
  // Gives all rows away, with the best first in order.
  void move_into(SortBuffer& sorted);

 private:
  // What one row has of one component: a score, or what makes one together with the statistics.
  struct Part {
    bool is_defined = false;
    double score = 0;
    double words = 0;
    std::vector<uint32_t> counts;
  };
  struct Row {
    std::vector<Part> parts;
    Origin origin;
    KeptDatum value;
  };

  Part text_part(const Ranking::Component& component, TextStatistics& statistics);
  double score_of(const Part& part, size_t component) const;
  std::vector<double> rank() const;

  const Ranking& ranking_;
  Execution& execution_;
  std::vector<TextStatistics> statistics_;  // by component; of no use for vectors
  bool counts_all_;
  uint64_t rows_with_hits_ = 0;
  std::vector<Part> observed_;
  std::vector<Row> rows_;
  size_t bytes_ = 0;
};

}  // namespace partita::query
