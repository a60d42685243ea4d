#pragma once

#include "gateway/place_reader.h"
#include "gateway/query_rows.h"
#include "query/optimise/vector_order.h"

#include <optional>
#include <string>
#include <vector>

namespace partita {

// ScoredRows: a container's documents in the order of a score that the index knows: how near their vectors are to another one.
//
// All vectors of the index that the filter may let through are compared, and only the documents that somebody asks for are
// loaded.
class ScoredRows final : public QueryRows {
 public:
  ScoredRows(const Container& container, const QueryRequest& request, query::VectorOrder order)
      : container_(container), request_(request), order_(std::move(order)) {}

  // Scores the documents of a place: those with one of the numbers (sorted), if any are given, for which so many entries were
  // read.
  Status add(PlaceView view, const std::optional<std::vector<DocumentNumber>>& numbers, uint64_t entries_read,
             const query::Environment& environment);

  Result<Value> next() override;
  bool is_sorted() const override { return true; }
  EffectiveKeyRange range() const override { return request_.range; }
  uint64_t entries_read() const override { return entries_read_; }
  std::string use_text() const override;

 private:
  struct Scored {
    std::string order;  // as append_sort_key writes it
    DocumentNumber number;
    uint32_t part;
  };
  struct Part {
    PlaceView view;
    bool is_whole;  // the request covers the whole place
  };

  // Whether `left` comes later: the best one is on top of a heap.
  bool is_behind(const Scored& left, const Scored& right) const;
  bool is_before_start(const Scored& scored) const;

  const Container& container_;
  const QueryRequest& request_;
  query::VectorOrder order_;
  std::vector<Part> parts_;
  std::vector<Scored> scored_;
  bool is_heap_ = false;
  uint64_t entries_read_ = 0;
  RecordLoader loader_;
};

}  // namespace partita
