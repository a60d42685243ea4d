#pragma once

#include "access/index/index_access.h"
#include "access/partition_view.h"
#include "access/read_scope.h"
#include "base/result.h"
#include "query/execute/execution.h"
#include "query/execute/position.h"

#include <cstdint>
#include <string>
#include <vector>

namespace partita {

// ScoredCursor: the documents of a partition in the order of a score that the index knows: how near their vectors are to another
// one. Not thread-safe.
//
// All vectors of the index that the filter may let through are compared, and only the documents that somebody asks for are
// loaded.
class ScoredCursor {
 public:
  // From the row of the position on, or from the best when there is none.
  static Result<ScoredCursor> open(PartitionView view, VectorUse use, const ScopeTest& scope, const query::Position* from,
                                   const query::Environment& environment);

  bool is_at_end() const { return scored_.empty(); }
  // REQUIRES of all: not at the end.
  DocumentNumber number() const { return scored_.front().number; }
  // Whether its document comes first. The other reads another partition.
  bool is_before(const ScoredCursor& other) const { return is_behind(other.scored_.front(), scored_.front()); }
  // Moves on, and gives the document that it was at, valid until the next call; undefined when that has expired or is not in
  // scope.
  Result<Value> take();

  // Of the document that was given last.
  size_t document_bytes() const { return document_bytes_; }
  uint64_t entries_read() const { return entries_read_; }
  std::string use_text() const { return to_text(order_.path.vector()) + " by distance"; }

 private:
  struct Scored {
    std::string order;  // as append_sort_key writes it
    DocumentNumber number;
  };

  ScoredCursor(PartitionView view, VectorUse use, const ScopeTest& scope);

  Status score(const std::optional<std::vector<DocumentNumber>>& numbers, const query::Position* from,
               const query::Environment& environment);
  // Whether `left` comes later: the best one is on top of the heap.
  bool is_behind(const Scored& left, const Scored& right) const;
  bool is_before_start(const Scored& scored, const query::Position* from) const;

  PartitionView view_;
  query::VectorOrder order_;
  ScopeTest scope_;
  std::vector<Scored> scored_;  // a heap
  size_t document_bytes_ = 0;
  uint64_t entries_read_ = 0;
  RecordLoader loader_;
};

}  // namespace partita
