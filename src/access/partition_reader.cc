#include "access/partition_reader.h"

#include <utility>

namespace partita {

PartitionReader PartitionReader::open(const PartitionPtr& partition, const ReadScope& scope, const ReadPurpose& purpose,
                                      std::vector<PendingDurability>& pending) {
  return {PartitionView::of(partition, pending), scope, purpose};
}

Result<DocumentCursor> PartitionReader::documents(DocumentNumber after) && {
  TRY(view_.check_current());
  const ScopeTest in_scope = test();
  const bool is_whole = in_scope.has_whole_partition() && after.value == 0;
  TRY_ASSIGN(IndexUse use, choose_documents(view_, scope_, purpose_, is_whole));
  return DocumentCursor(std::move(view_), std::move(use), in_scope, after);
}

Result<std::optional<OrderedCursor>> PartitionReader::in_order(const query::Position* from) && {
  TRY(view_.check_current());
  TRY_ASSIGN(std::optional<OrderedUse> use, choose_order(view_, scope_, purpose_));
  if (!use) return std::nullopt;
  const ScopeTest in_scope = test();
  return OrderedCursor(std::move(view_), std::move(*use), in_scope, from, *purpose_.environment);
}

Result<std::optional<ScoredCursor>> PartitionReader::by_distance(const query::Position* from) && {
  TRY(view_.check_current());
  TRY_ASSIGN(std::optional<VectorUse> use, choose_vectors(view_, scope_, purpose_));
  if (!use) return std::nullopt;
  const ScopeTest in_scope = test();
  return ScoredCursor::open(std::move(view_), std::move(*use), in_scope, from, *purpose_.environment);
}

Result<std::optional<RankedCursor>> PartitionReader::by_relevance() && {
  TRY(view_.check_current());
  return RankedCursor::open(std::move(view_), scope_, *purpose_.plan, *purpose_.environment);
}

Result<std::optional<CountedDocuments>> PartitionReader::count() const {
  TRY(view_.check_current());
  return count_documents(view_, scope_, purpose_);
}

Result<std::optional<SummedTexts>> PartitionReader::sum_texts() const {
  TRY(view_.check_current());
  return partita::sum_texts(view_, scope_, purpose_);
}

}  // namespace partita
