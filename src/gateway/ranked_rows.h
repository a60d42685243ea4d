#pragma once

#include "gateway/document_rows.h"
#include "gateway/place_reader.h"
#include "gateway/query_rows.h"
#include "gateway/text_index.h"
#include "query/optimise/text_search.h"

#include <memory>
#include <string>
#include <vector>

namespace partita {

// RankedRows: the documents of a container for a plan that orders them by the relevance of their texts: first those in which the
// index finds a phrase, then all others, which are seldom asked for. Only those that may pass the filter: what the others
// contribute to the relevance, the index knows too.
class RankedRows final : public QueryRows {
 public:
  // Null when the plan has no such order, or when the index of some place does not have the words. All outlive it.
  static Result<std::unique_ptr<QueryRows>> open(const Container& container, const query::Plan& plan, const QueryRequest& request,
                                                 const query::Environment& environment, std::vector<Unsettled>& unsettled);

  Result<Value> next() override;
  std::span<const TextStatistics> text_statistics() const override { return statistics_; }
  bool is_past_hits() const override { return has_hits_first_ && part_ == parts_.size(); }
  bool is_hit() const override { return is_hit_; }
  EffectiveKeyRange range() const override { return request_.range; }
  uint64_t entries_read() const override { return entries_read_ + rest_.entries_read(); }
  std::string use_text() const override;

 private:
  struct Part {
    PlaceView view;
    std::vector<DocumentNumber> numbers;  // sorted
  };

  RankedRows(const Container& container, const query::Plan& plan, const QueryRequest& request,
             const query::Environment& environment, std::vector<Unsettled>& unsettled);

  // False when the index does not tell.
  Result<bool> add(PlaceView view, const query::Plan& plan, const query::Environment& environment);
  void add_statistics(size_t component, const FoundTexts& found);
  void leave_ended_parts();
  bool is_given(DocumentNumber number) const;

  const Container& container_;
  const QueryRequest request_;  // from the beginning
  std::vector<TextStatistics> statistics_;
  bool has_hits_first_ = true;
  std::vector<Part> parts_;
  bool is_hit_ = false;
  size_t part_ = 0;
  size_t next_number_ = 0;
  std::string paths_;
  uint64_t entries_read_ = 0;
  RecordLoader loader_;
  DocumentRows rest_;
};

}  // namespace partita
