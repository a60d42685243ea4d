#pragma once

#include "access/index/text_index.h"
#include "access/partition_view.h"
#include "access/read_scope.h"
#include "base/result.h"
#include "query/execute/execution.h"
#include "query/plan/plan.h"
#include "search/relevance.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace partita {

// RankedCursor: the documents of a partition in which the index finds a phrase that a plan orders by, in the order of their
// numbers, and what the words of all its texts contribute to their relevance. Only those that may pass the filter. Not
// thread-safe.
class RankedCursor {
 public:
  // Nothing when the plan has no such order, or when the index does not have the words.
  static Result<std::optional<RankedCursor>> open(PartitionView view, const ReadScope& scope, const query::Plan& plan,
                                                  const query::Environment& environment);

  // Over all documents in scope, for each component of the plan's ranking; empty when it does not need them.
  std::span<const TextStatistics> statistics() const { return statistics_; }
  // Whether it is worth while to read these documents before all others.
  bool has_few_hits() const { return has_few_hits_; }
  // Whether it gives the document, or gave it.
  bool has(DocumentNumber number) const;

  bool is_at_end() const { return next_ == numbers_.size(); }
  // Moves on, and gives the document that it was at, valid until the next call; undefined when that is not in scope. REQUIRES:
  // not at the end.
  Result<Value> take();

  // Of the document that was given last.
  DocumentNumber number() const { return number_; }
  size_t document_bytes() const { return document_bytes_; }
  uint64_t entries_read() const { return entries_read_; }
  // The paths whose words were read.
  std::span<const std::string> paths() const { return paths_; }

 private:
  RankedCursor(PartitionView view, const ReadScope& scope);

  Status find_hits(const query::RelevanceOrder& order, const std::optional<std::vector<DocumentNumber>>& among,
                   const query::Environment& environment);
  Status leave_passing(const query::Plan& plan, const query::Environment& environment);

  PartitionView view_;
  ScopeTest scope_;
  std::vector<DocumentNumber> numbers_;  // sorted
  std::vector<TextStatistics> statistics_;
  bool has_few_hits_ = false;
  size_t next_ = 0;
  DocumentNumber number_;
  size_t document_bytes_ = 0;
  std::vector<std::string> paths_;
  uint64_t entries_read_ = 0;
  RecordLoader loader_;
};

}  // namespace partita
