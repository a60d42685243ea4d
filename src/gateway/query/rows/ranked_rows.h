#pragma once

#include "access/cursors/ranked_cursor.h"
#include "gateway/query/rows/document_rows.h"
#include "gateway/query/rows/query_rows.h"

#include <memory>
#include <string>
#include <vector>

namespace partita {

// RankedRows: the documents of a container for a plan that orders them by the relevance of their texts: first those in which the
// index finds a phrase, then all others, which are seldom asked for. Only those that may pass the filter: what the others
// contribute to the relevance, the index knows too.
class RankedRows final : public QueryRows {
 public:
  // Null when the plan has no such order, or when the index of some partition does not have the words. All outlive it.
  static Result<std::unique_ptr<QueryRows>> open(const Container& container, const query::Plan& plan, const QueryRequest& request,
                                                 const query::Environment& environment, std::vector<PendingDurability>& pending);

  Result<Value> next() override;
  std::span<const TextStatistics> text_statistics() const override { return statistics_; }
  bool is_past_hits() const override { return has_hits_first_ && current_ == cursors_.size(); }
  bool is_hit() const override { return is_hit_; }
  EffectiveKeyRange range() const override { return request_.range; }
  uint64_t entries_read() const override { return entries_read_ + rest_.entries_read(); }
  std::string use_text() const override;

 private:
  RankedRows(const Container& container, const query::Plan& plan, const QueryRequest& request,
             const query::Environment& environment, std::vector<PendingDurability>& pending);

  void add(RankedCursor cursor);
  void leave_ended_cursors();
  bool is_given(DocumentNumber number) const;

  const QueryRequest request_;  // from the beginning
  std::vector<TextStatistics> statistics_;
  bool has_hits_first_ = true;
  std::vector<RankedCursor> cursors_;  // one for each partition
  size_t current_ = 0;                 // of these
  bool is_hit_ = false;
  std::string paths_;
  uint64_t entries_read_ = 0;
  DocumentRows rest_;
};

}  // namespace partita
