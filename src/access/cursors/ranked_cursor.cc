#include "access/cursors/ranked_cursor.h"

#include "access/index/candidates.h"
#include "access/index/index_access.h"
#include "access/index/policy_paths.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace partita {
namespace {

template <typename Combine>
void combine(std::vector<DocumentNumber>& numbers, const std::vector<DocumentNumber>& others, Combine how) {
  std::vector<DocumentNumber> combined;
  how(numbers, others, std::back_inserter(combined));
  numbers = std::move(combined);
}

}  // namespace

RankedCursor::RankedCursor(PartitionView view, const ReadScope& scope)
    : view_(std::move(view)), scope_(scope, view_.partition->range()) {}

Result<std::optional<RankedCursor>> RankedCursor::open(PartitionView view, const ReadScope& scope, const query::Plan& plan,
                                                       const query::Environment& environment) {
  const auto order = query::relevance_order_of(plan, PolicyPaths(*view.index.policy));
  if (!order) return std::nullopt;
  TRY_ASSIGN(const std::optional<ScopeInIndex> in_scope, find_scope(view, scope, environment));
  if (!in_scope) return std::nullopt;
  RankedCursor cursor(std::move(view), scope);
  cursor.entries_read_ = in_scope->entries_read;
  TRY(cursor.find_hits(*order, in_scope->numbers, environment));
  TRY(cursor.leave_passing(plan, environment));
  cursor.has_few_hits_ = order->rows_max && cursor.numbers_.size() <= candidates_max(cursor.view_, std::nullopt);
  return cursor;
}

Status RankedCursor::find_hits(const query::RelevanceOrder& order, const std::optional<std::vector<DocumentNumber>>& among,
                               const query::Environment& environment) {
  statistics_.resize(order.needs_statistics ? order.components.size() : 0);
  for (size_t i = 0; i < order.components.size(); ++i) {
    if (order.components[i].path.steps.empty()) continue;
    TRY_ASSIGN(FoundTexts found, find_texts(order.components[i], view_, among, environment));
    entries_read_ += found.entries_read;
    combine(numbers_, found.numbers, std::ranges::set_union);
    if (order.needs_statistics) statistics_[i] = std::move(found.statistics);
    paths_.push_back(to_text(order.components[i].path.words()));
  }
  return {};
}

Status RankedCursor::leave_passing(const query::Plan& plan, const query::Environment& environment) {
  const query::Access access = access_of_passing(plan, PolicyPaths(*view_.index.policy));
  TRY_ASSIGN(const Candidates passing, find_candidates(access, view_, std::nullopt, environment));
  entries_read_ += passing.entries_read;
  if (passing.numbers) combine(numbers_, *passing.numbers, std::ranges::set_intersection);
  return {};
}

bool RankedCursor::has(DocumentNumber number) const { return std::ranges::binary_search(numbers_, number); }

Result<Value> RankedCursor::take() {
  number_ = numbers_[next_++];
  TRY_ASSIGN(const std::string_view record, loader_.load(view_, number_));
  if (record.empty()) return Value();
  TRY_ASSIGN(const Value document, document_of_record(number_, record));
  if (!scope_.passes(document)) return Value();
  document_bytes_ = record.size();
  return document;
}

}  // namespace partita
