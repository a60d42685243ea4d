#include "gateway/query_rows.h"

#include "gateway/document_rows.h"
#include "gateway/ordered_rows.h"
#include "gateway/ranked_rows.h"
#include "gateway/scored_rows.h"

#include <algorithm>

namespace partita {
namespace {

// Where an ordered reader starts. The position is behind a row, which may have to be read again; what lies before it is dropped
// by whoever runs the plan.
std::optional<OrderedStart> start_of(const QueryRequest& request, const query::IndexOrder& order) {
  if (!request.from || request.from->progress.order.empty()) return std::nullopt;
  const query::Position& position = request.from->progress;
  OrderedStart start{position.order, DocumentNumber{position.origin.number}};
  if (order.is_descending) {
    for (char& byte : start.key_form) byte = static_cast<char>(~byte);
  }
  return start;
}

// Null when some place cannot be read in order, or should not.
Result<std::unique_ptr<QueryRows>> open_ordered(const Container& container, const ReadPurpose& purpose,
                                                const QueryRequest& request, std::vector<Unsettled>& unsettled) {
  std::vector<OrderedRows::Part> parts;
  std::optional<query::IndexOrder> order;
  for (const PartitionPlace& place : container.places) {
    const EffectiveKeyRange& range = place.range();
    if (range.max <= request.range.min || range.min >= request.range.max) continue;
    PlaceView view = PlaceView::of(place, unsettled);
    TRY_ASSIGN(std::optional<OrderedUse> use, choose_order(view, container.definition.partition_key, request.key, purpose));
    if (!use) return nullptr;
    order = use->order;
    const bool is_whole = request.range.min <= range.min && range.max <= request.range.max;
    OrderedPlace ordered(std::move(view), use->order, use->range, start_of(request, use->order), *purpose.environment);
    parts.emplace_back(std::move(ordered), std::move(use->filter), is_whole, use->entries_read);
  }
  if (!order) return nullptr;
  return std::make_unique<OrderedRows>(container, request, *order, std::move(parts), *purpose.environment);
}

// Null when the index of some place does not have the vectors.
Result<std::unique_ptr<QueryRows>> open_scored(const Container& container, const ReadPurpose& purpose,
                                               const QueryRequest& request, std::vector<Unsettled>& unsettled) {
  std::unique_ptr<ScoredRows> rows;
  for (const PartitionPlace& place : container.places) {
    if (place.range().max <= request.range.min || place.range().min >= request.range.max) continue;
    PlaceView view = PlaceView::of(place, unsettled);
    TRY_ASSIGN(std::optional<VectorUse> use, choose_vectors(view, container.definition.partition_key, request.key, purpose));
    if (!use) return nullptr;
    if (!rows) rows = std::make_unique<ScoredRows>(container, request, std::move(use->order));
    TRY(rows->add(std::move(view), use->numbers, use->entries_read, *purpose.environment));
  }
  return rows;
}

}  // namespace

Result<std::unique_ptr<QueryRows>> open_rows(const Container& container, const query::Plan& plan, const QueryRequest& request,
                                             const query::Environment& environment, std::vector<Unsettled>& unsettled) {
  if (!plan.order.empty()) {
    const uint64_t wanted = plan.limit ? plan.offset + *plan.limit : UINT64_MAX;
    const ReadPurpose purpose{&plan, &environment, std::min<uint64_t>(wanted, request.items_max)};
    TRY_ASSIGN(std::unique_ptr<QueryRows> ordered, open_ordered(container, purpose, request, unsettled));
    if (ordered) return ordered;
    TRY_ASSIGN(std::unique_ptr<QueryRows> scored, open_scored(container, purpose, request, unsettled));
    if (scored) return scored;
  }
  TRY_ASSIGN(std::unique_ptr<QueryRows> ranked, RankedRows::open(container, plan, request, environment, unsettled));
  if (ranked) return ranked;
  return std::make_unique<DocumentRows>(container, &plan, request, environment, DocumentRows::Use::kPlan, unsettled);
}

}  // namespace partita
