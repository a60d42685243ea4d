#pragma once

#include "access/cursors/scored_cursor.h"
#include "gateway/query/rows/query_rows.h"

#include <string>
#include <utility>
#include <vector>

namespace partita {

// ScoredRows: a container's documents in the order of the distance of their vectors, merged from all its partitions.
class ScoredRows final : public QueryRows {
 public:
  // The cursors are those of all partitions that the request concerns: one at least. The request outlives it.
  ScoredRows(const QueryRequest& request, std::vector<ScoredCursor> cursors) : request_(request), cursors_(std::move(cursors)) {}

  Result<Value> next() override;
  bool is_sorted() const override { return true; }
  EffectiveKeyRange range() const override { return request_.range; }
  uint64_t entries_read() const override;
  std::string use_text() const override { return cursors_.front().use_text(); }

 private:
  ScoredCursor* find_first();

  const QueryRequest& request_;
  std::vector<ScoredCursor> cursors_;
};

}  // namespace partita
