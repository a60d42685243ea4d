#pragma once

#include "query/execute/execution.h"
#include "query/execute/position.h"
#include "query/plan/plan.h"
#include "search/relevance.h"

#include <cstdint>
#include <vector>

namespace partita::query {

class SortBuffer;

// RankBuffer: collects projected rows until all are there that a plan's ranking compares them with.
// How rare a phrase is follows from all rows of the source, also from those that the filter drops.
class RankBuffer {
 public:
  RankBuffer(const Ranking& ranking, Execution& execution);
  ~RankBuffer();

  // Counts the row in the slots for the statistics; to be called before the filter.
  void observe();
  // Adds the row that was observed last.
  void add(const Datum& row, Origin origin);
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
  std::vector<Part> observed_;
  std::vector<Row> rows_;
  size_t bytes_ = 0;
};

}  // namespace partita::query
