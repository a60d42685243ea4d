#include "gateway/document_rows.h"

#include "gateway/text_index.h"

#include <algorithm>

namespace partita {

namespace {

double value_of(const query::TextSums::Sum& sum, const std::vector<FoundTexts>& found) {
  switch (sum.kind) {
    case query::TextSums::Kind::kDocuments: return found.front().statistics.texts;
    case query::TextSums::Kind::kWords: return found[sum.search].statistics.words;
    case query::TextSums::Kind::kHits: return found[sum.search].statistics.hits[sum.phrase];
  }
  return 0;
}

}  // namespace

DocumentRows::DocumentRows(const Container& container, const query::Plan* plan, const QueryRequest& request,
                           const query::Environment& environment, Use use, std::vector<Unsettled>& unsettled)
    : container_(container), request_(request), unsettled_(unsettled), purpose_{plan, &environment, std::nullopt} {
  const bool starts_at_position = plan == nullptr || query::scan_start(*plan, is_sorted()) == query::ScanStart::kPosition;
  if (plan != nullptr && starts_at_position)
    purpose_.rows_wanted = std::min<uint64_t>(request.items_max, plan->limit.value_or(UINT64_MAX));
  // In an order, the position names a document that stood for its value; by now another one may, on the other side of it.
  const bool is_resumed_order = request.from && plan != nullptr && !plan->order.empty();
  purpose_.takes_representatives = use == Use::kPlan && !is_resumed_order;
  purpose_.takes_passing = use == Use::kPassing;
  DocumentScope scope{request.range, request.key, std::nullopt};
  if (request.from && request.from->progress.of_scan().origin.number != 0) {
    const query::Position& scan = request.from->progress.of_scan();
    const uint64_t open = scan.is_open || scan.is_repeated ? 1 : 0;
    const FeedPosition position{request.from->range, DocumentNumber{scan.origin.number - open}};
    if (starts_at_position) {
      scope.from = position;
      begins_after_ = position.after;
    } else {
      seen_ = position;
      scope.range.max = std::min(scope.range.max, position.range.min);
    }
  }
  open(scope);
}

void DocumentRows::open(const DocumentScope& scope) {
  if (reader_) entries_read_ += reader_->entries_read();
  reader_.emplace(container_, scope, purpose_, unsettled_);
}

Result<Value> DocumentRows::next() {
  while (true) {
    TRY_ASSIGN(const bool has_document, reader_->next());
    if (!has_document) {
      if (start_behind_seen()) continue;
      note_end();
      return Value();
    }
    if (!reader_->is_wanted()) continue;
    note_row(reader_->number(), reader_->record().size());
    return reader_->document();
  }
}

// Ranges may have changed, so what was seen is read in the order of then: the lower ranges, then that of the position.
bool DocumentRows::start_behind_seen() {
  if (!seen_ || is_behind_lower_ranges_) return false;
  is_behind_lower_ranges_ = true;
  open({request_.range, request_.key, FeedPosition{seen_->range, {}}});
  return true;
}

// Documents below the position's range were seen, and within it those up to its number.
bool DocumentRows::is_seen() const {
  if (!seen_) return false;
  return !is_behind_lower_ranges_ || (range().max <= seen_->range.max && number() <= seen_->after.value);
}

// What is counted or grouped tells nothing about who has passed.
void DocumentRows::note_page(uint64_t results) {
  const bool is_row_by_row = purpose_.plan != nullptr && !purpose_.plan->grouping && !purpose_.plan->is_distinct;
  if (is_row_by_row && rows() > results) reader_->note_vain_loads(rows() - results);
}

Result<std::optional<uint64_t>> DocumentRows::count_passing() {
  uint64_t count = 0;
  std::string text;
  for (const PartitionPlace& place : container_.places) {
    if (place.range().max <= request_.range.min || place.range().min >= request_.range.max) continue;
    const PlaceView view = PlaceView::of(place, unsettled_);
    TRY_ASSIGN(const std::optional<CountedDocuments> counted,
               count_documents(view, container_.definition.partition_key, request_.range, request_.key, purpose_));
    if (!counted) return std::nullopt;
    count += counted->count;
    entries_read_ += counted->entries_read;
    if (!text.ends_with(counted->text)) text += (text.empty() ? "" : "\n") + counted->text;
  }
  counted_text_ = std::move(text);
  return count;
}

// Those that text_sums_of() knows.
Result<std::optional<std::vector<double>>> DocumentRows::aggregates() {
  std::vector<double> sums;
  std::string text;
  for (const PartitionPlace& place : container_.places) {
    if (place.range().max <= request_.range.min || place.range().min >= request_.range.max) continue;
    const PlaceView view = PlaceView::of(place, unsettled_);
    const auto wanted = query::text_sums_of(*purpose_.plan, PolicyPaths(*view.index.policy));
    if (!wanted) return std::nullopt;
    TRY_ASSIGN(const std::optional<ScopeInPlace> scope,
               find_scope(view, container_.definition.partition_key, request_.range, request_.key, *purpose_.environment));
    if (!scope) return std::nullopt;
    entries_read_ += scope->entries_read;
    std::vector<FoundTexts> found;
    for (const query::TextSearch& search : wanted->searches) {
      TRY_ASSIGN(FoundTexts texts, find_texts(search, view, scope->numbers, *purpose_.environment));
      entries_read_ += texts.entries_read;
      found.push_back(std::move(texts));
    }
    sums.resize(wanted->sums.size());
    for (size_t i = 0; i < sums.size(); ++i) sums[i] += value_of(wanted->sums[i], found);
    text = "sums of " + to_text(wanted->searches.front().path.words());
  }
  counted_text_ = std::move(text);
  return sums;
}

}  // namespace partita
