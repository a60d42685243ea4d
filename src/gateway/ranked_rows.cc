#include "gateway/ranked_rows.h"

#include "gateway/candidates.h"
#include "gateway/document_reader.h"

#include <algorithm>
#include <iterator>

namespace partita {
namespace {

QueryRequest from_beginning(QueryRequest request) {
  request.from.reset();
  return request;
}

template <typename Combine>
void combine(std::vector<DocumentNumber>& numbers, const std::vector<DocumentNumber>& others, Combine how) {
  std::vector<DocumentNumber> combined;
  how(numbers, others, std::back_inserter(combined));
  numbers = std::move(combined);
}

}  // namespace

RankedRows::RankedRows(const Container& container, const query::Plan& plan, const QueryRequest& request,
                       const query::Environment& environment, std::vector<Unsettled>& unsettled)
    : container_(container),
      request_(from_beginning(request)),
      rest_(container, &plan, request_, environment, DocumentRows::Use::kPassing, unsettled) {}

Result<std::unique_ptr<QueryRows>> RankedRows::open(const Container& container, const query::Plan& plan,
                                                    const QueryRequest& request, const query::Environment& environment,
                                                    std::vector<Unsettled>& unsettled) {
  std::unique_ptr<RankedRows> rows;
  for (const PartitionPlace& place : container.places) {
    if (place.range().max <= request.range.min || place.range().min >= request.range.max) continue;
    PlaceView view = PlaceView::of(place, unsettled);
    if (!query::relevance_order_of(plan, PolicyPaths(*view.index.policy))) return nullptr;
    if (!rows) rows.reset(new RankedRows(container, plan, request, environment, unsettled));
    TRY_ASSIGN(const bool is_known, rows->add(std::move(view), plan, environment));
    if (!is_known) return nullptr;
  }
  if (rows) rows->leave_ended_parts();
  return rows;
}

Result<bool> RankedRows::add(PlaceView view, const query::Plan& plan, const query::Environment& environment) {
  const auto order = *query::relevance_order_of(plan, PolicyPaths(*view.index.policy));
  TRY_ASSIGN(const std::optional<ScopeInPlace> scope,
             find_scope(view, container_.definition.partition_key, request_.range, request_.key, environment));
  if (!scope) return false;
  entries_read_ += scope->entries_read;
  std::vector<DocumentNumber> numbers;
  statistics_.resize(order.needs_statistics ? order.components.size() : 0);
  for (size_t i = 0; i < order.components.size(); ++i) {
    if (order.components[i].path.steps.empty()) continue;
    TRY_ASSIGN(const FoundTexts found, find_texts(order.components[i], view, scope->numbers, environment));
    if (order.needs_statistics) add_statistics(i, found);
    entries_read_ += found.entries_read;
    combine(numbers, found.numbers, std::ranges::set_union);
    if (const std::string text = to_text(order.components[i].path.words()); !paths_.contains(text)) {
      paths_ += (paths_.empty() ? "" : ", ") + text;
    }
  }
  TRY_ASSIGN(const Candidates passing,
             find_candidates(access_of_passing(plan, PolicyPaths(*view.index.policy)), view, std::nullopt, environment));
  entries_read_ += passing.entries_read;
  if (passing.numbers) combine(numbers, *passing.numbers, std::ranges::set_intersection);
  has_hits_first_ = has_hits_first_ && order.rows_max && numbers.size() <= candidates_max(view, std::nullopt);
  parts_.emplace_back(std::move(view), std::move(numbers));
  return true;
}

void RankedRows::add_statistics(size_t component, const FoundTexts& found) {
  TextStatistics& all = statistics_[component];
  all.texts += found.statistics.texts;
  all.words += found.statistics.words;
  all.hits.resize(found.statistics.hits.size());
  for (size_t i = 0; i < all.hits.size(); ++i) all.hits[i] += found.statistics.hits[i];
}

Result<Value> RankedRows::next() {
  while (has_hits_first_ && part_ < parts_.size()) {
    const Part& part = parts_[part_];
    const DocumentNumber number = part.numbers[next_number_++];
    leave_ended_parts();
    TRY_ASSIGN(const std::string_view record, loader_.load(part.view, number));
    if (record.empty()) continue;
    TRY_ASSIGN(const Value document, document_of_record(number, record));
    if (!is_in_scope(document, container_.definition.partition_key, request_.key, nullptr)) continue;
    note_row(number, record.size());
    is_hit_ = true;
    return document;
  }
  is_hit_ = false;
  while (true) {
    const size_t bytes_before = rest_.bytes();
    TRY_ASSIGN(const Value document, rest_.next());
    if (document.is_undefined()) {
      note_end();
      return document;
    }
    if (has_hits_first_ && is_given(DocumentNumber{rest_.number()})) continue;
    note_row(DocumentNumber{rest_.number()}, rest_.bytes() - bytes_before);
    return document;
  }
}

void RankedRows::leave_ended_parts() {
  for (; part_ < parts_.size() && next_number_ == parts_[part_].numbers.size(); ++part_) next_number_ = 0;
}

bool RankedRows::is_given(DocumentNumber number) const {
  return std::ranges::any_of(parts_, [&](const Part& part) { return std::ranges::binary_search(part.numbers, number); });
}

std::string RankedRows::use_text() const {
  const std::string rest = rest_.use_text();
  const std::string hits = has_hits_first_ ? paths_ + " by hits" : paths_ + " counted";
  return rest.empty() ? hits : hits + ", then " + rest;
}

}  // namespace partita
