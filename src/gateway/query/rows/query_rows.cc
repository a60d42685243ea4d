#include "gateway/query/rows/query_rows.h"

#include "gateway/query/rows/document_rows.h"
#include "gateway/query/rows/ordered_rows.h"
#include "gateway/query/rows/ranked_rows.h"
#include "gateway/query/rows/scored_rows.h"

#include <algorithm>

namespace partita {
namespace {

// Null when some partition cannot be read in order, or should not.
Result<std::unique_ptr<QueryRows>> open_ordered(const Container& container, const ReadPurpose& purpose,
                                                const QueryRequest& request, std::vector<PendingDurability>& pending) {
  const ReadScope scope = read_scope_of(container, request);
  std::vector<OrderedCursor> cursors;
  for (const PartitionPlace& place : container.places) {
    if (!concerns(request, place)) continue;
    TRY_ASSIGN(std::optional<OrderedCursor> cursor,
               PartitionReader::open(place.partition, scope, purpose, pending).in_order(position_of(request)));
    if (!cursor) return nullptr;
    cursors.push_back(std::move(*cursor));
  }
  if (cursors.empty()) return nullptr;
  return std::make_unique<OrderedRows>(request, std::move(cursors), *purpose.environment);
}

// Null when the index of some partition does not have the vectors.
Result<std::unique_ptr<QueryRows>> open_scored(const Container& container, const ReadPurpose& purpose,
                                               const QueryRequest& request, std::vector<PendingDurability>& pending) {
  const ReadScope scope = read_scope_of(container, request);
  std::vector<ScoredCursor> cursors;
  for (const PartitionPlace& place : container.places) {
    if (!concerns(request, place)) continue;
    TRY_ASSIGN(std::optional<ScoredCursor> cursor,
               PartitionReader::open(place.partition, scope, purpose, pending).by_distance(position_of(request)));
    if (!cursor) return nullptr;
    cursors.push_back(std::move(*cursor));
  }
  if (cursors.empty()) return nullptr;
  return std::make_unique<ScoredRows>(request, std::move(cursors));
}

}  // namespace

Result<std::unique_ptr<QueryRows>> open_rows(const Container& container, const query::Plan& plan, const QueryRequest& request,
                                             const query::Environment& environment, std::vector<PendingDurability>& pending) {
  if (!plan.order.empty()) {
    const uint64_t wanted = plan.limit ? plan.offset + *plan.limit : UINT64_MAX;
    const ReadPurpose purpose{&plan, &environment, std::min<uint64_t>(wanted, request.items_max)};
    TRY_ASSIGN(std::unique_ptr<QueryRows> ordered, open_ordered(container, purpose, request, pending));
    if (ordered) return ordered;
    TRY_ASSIGN(std::unique_ptr<QueryRows> scored, open_scored(container, purpose, request, pending));
    if (scored) return scored;
  }
  if (plan.ranking || !plan.order.empty()) {
    TRY_ASSIGN(std::unique_ptr<QueryRows> ranked, RankedRows::open(container, plan, request, environment, pending));
    if (ranked) return ranked;
  }
  return std::make_unique<DocumentRows>(container, &plan, request, environment, DocumentRows::Use::kPlan, pending);
}

}  // namespace partita
