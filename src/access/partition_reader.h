#pragma once

#include "access/cursors/document_cursor.h"
#include "access/cursors/ordered_cursor.h"
#include "access/cursors/ranked_cursor.h"
#include "access/cursors/scored_cursor.h"
#include "access/index/index_access.h"
#include "access/index/index_counts.h"
#include "access/partition_view.h"
#include "access/pending_durability.h"
#include "access/read_scope.h"
#include "base/result.h"
#include "query/execute/position.h"

#include <memory>
#include <optional>
#include <vector>

namespace partita {

// PartitionReader: one partition at one moment, for a plan and a scope: what its index knows about them, or the documents.
//
// Not thread-safe. Its cursors take the view with them, so one of them is the last thing that is asked of it. What scope and
// purpose refer to outlives the cursors.
class PartitionReader {
 public:
  // `pending` is told when what the partition shows is not durable yet. Everything below fails with kPartitionGone when the
  // partition was split or merged so long ago that its rows were dropped.
  static PartitionReader open(const PartitionPtr& partition, const ReadScope& scope, const ReadPurpose& purpose,
                              std::vector<PendingDurability>& pending);

  // The documents behind a number, in the order of their numbers.
  Result<DocumentCursor> documents(DocumentNumber after) &&;
  // The documents in the order of the plan's sort key, from the row of a position on. Nothing when the index does not have that
  // order, or when sorting what the filter leaves is cheaper.
  Result<std::optional<OrderedCursor>> in_order(const query::Position* from) &&;
  // The same by the distance of vectors; nothing when the index does not have them.
  Result<std::optional<ScoredCursor>> by_distance(const query::Position* from) &&;
  // The documents with a phrase that the plan orders by; nothing when the plan has no such order, or the index not the words.
  Result<std::optional<RankedCursor>> by_relevance() &&;

  // What the plan counts or sums, when the index knows that without documents.
  Result<std::optional<CountedDocuments>> count() const;
  Result<std::optional<SummedTexts>> sum_texts() const;

 private:
  PartitionReader(PartitionView view, const ReadScope& scope, const ReadPurpose& purpose)
      : view_(std::move(view)), scope_(scope), purpose_(purpose) {}

  ScopeTest test() const { return {scope_, view_.partition->range()}; }

  PartitionView view_;
  ReadScope scope_;
  const ReadPurpose& purpose_;
};

}  // namespace partita
