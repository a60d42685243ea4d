#pragma once

#include "gateway/query/queries.h"
#include "query/execute/source_cursor.h"

#include <memory>
#include <string>
#include <vector>

namespace partita {

// QueryRows: a container's documents as the source of a query, and what reading them took. Not thread-safe.
class QueryRows : public query::RowSource {
 public:
  // In which the current document was read. REQUIRES: number() is not 0.
  virtual EffectiveKeyRange range() const = 0;
  virtual uint64_t entries_read() const = 0;
  // What was read: "scan", or index predicates of the filter, or an order, that the index answered.
  virtual std::string use_text() const = 0;

  // That so many results have come of a page's rows.
  virtual void note_page(uint64_t /*results*/) {}

  uint64_t number() const override { return number_; }
  bool has_read_enough() const override { return page_charge(work()).sum() >= kQueryPageChargeMax; }
  // For a page whose result is not known yet.
  WorkDone work() const {
    return {.pages = 1, .documents_loaded = rows_, .loaded_bytes = bytes_, .index_entries_read = entries_read()};
  }
  uint64_t rows() const { return rows_; }
  size_t bytes() const { return bytes_; }

 protected:
  void note_row(DocumentNumber number, size_t bytes) {
    number_ = number.value;
    ++rows_;
    bytes_ += bytes;
  }
  void note_end() { number_ = 0; }

 private:
  uint64_t number_ = 0;
  uint64_t rows_ = 0;
  size_t bytes_ = 0;
};

// What the request reads of each partition that it concerns. Both outlive what it gives.
inline ReadScope read_scope_of(const Container& container, const QueryRequest& request) {
  return {container.definition.partition_key, request.range, request.key};
}
inline bool concerns(const QueryRequest& request, const PartitionPlace& place) {
  return place.range().max > request.range.min && place.range().min < request.range.max;
}
// The position that the request goes on from; null: from the beginning.
inline const query::Position* position_of(const QueryRequest& request) {
  return request.from ? &request.from->progress : nullptr;
}

// The rows of a page of a query: in the order of an index if that spares a sort and is not dearer than sorting what the filter
// leaves, else in the order of documents. Container, plan, request, environment and `pending` outlive it.
Result<std::unique_ptr<QueryRows>> open_rows(const Container& container, const query::Plan& plan, const QueryRequest& request,
                                             const query::Environment& environment, std::vector<PendingDurability>& pending);

// The page that the plan makes of these rows, until the environment's deadline. `looks_ahead`: a full page says whether there is
// more, for which another row is read.
Result<QueryPage> read_page(QueryRows& rows, const query::Plan& plan, const QueryRequest& request,
                            const query::Environment& environment, bool looks_ahead = true);

}  // namespace partita
