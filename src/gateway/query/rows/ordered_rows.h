#pragma once

#include "access/cursors/ordered_cursor.h"
#include "access/reading_time.h"
#include "gateway/query/rows/query_rows.h"

#include <string>
#include <utility>
#include <vector>

namespace partita {

// OrderedRows: a container's documents in the order of a plan's sort key, merged from the indexes of all its partitions.
class OrderedRows final : public QueryRows {
 public:
  // The cursors are those of all partitions that the request concerns: one at least. Request and environment outlive it.
  OrderedRows(const QueryRequest& request, std::vector<OrderedCursor> cursors, const query::Environment& environment)
      : request_(request), cursors_(std::move(cursors)), time_(environment) {}

  Result<Value> next() override;
  bool is_sorted() const override { return true; }
  void note_page(uint64_t results) override;
  EffectiveKeyRange range() const override { return request_.range; }
  uint64_t entries_read() const override;
  std::string use_text() const override { return cursors_.front().use_text(); }

 private:
  OrderedCursor* find_first();

  const QueryRequest& request_;
  std::vector<OrderedCursor> cursors_;
  ReadingTime time_;
  bool is_begun_ = false;
  OrderedCursor* current_ = nullptr;
};

}  // namespace partita
