#pragma once

#include "gateway/demand_filter.h"
#include "gateway/document_reader.h"
#include "gateway/ordered_place.h"
#include "gateway/query_rows.h"

#include <optional>
#include <vector>

namespace partita {

// OrderedRows: a container's documents in the order of a plan's sort key, read from the indexes of all places at once.
class OrderedRows final : public QueryRows {
 public:
  // The views are those of all places that the request concerns; each has its range for the values at the path.
  struct Part {
    OrderedPlace place;
    DemandFilter filter;
    bool is_whole;          // the request covers the whole place
    uint64_t entries_read;  // before its own were
    uint64_t rows = 0;
  };
  OrderedRows(const Container& container, const QueryRequest& request, const query::IndexOrder& order, std::vector<Part> parts,
              const query::Environment& environment)
      : container_(container), request_(request), order_(order), parts_(std::move(parts)), time_(environment) {}

  Result<Value> next() override;
  bool is_sorted() const override { return true; }
  void note_page(uint64_t results) override;
  EffectiveKeyRange range() const override { return request_.range; }
  uint64_t entries_read() const override;
  std::string use_text() const override;

 private:
  Part* find_first();
  bool is_before(const Part& left, const Part& right) const;

  const Container& container_;
  const QueryRequest& request_;
  query::IndexOrder order_;
  std::vector<Part> parts_;
  ReadingTime time_;
  bool is_begun_ = false;
  Part* current_ = nullptr;
};

}  // namespace partita
