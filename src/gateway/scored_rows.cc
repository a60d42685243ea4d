#include "gateway/scored_rows.h"

#include "gateway/document_reader.h"
#include "gateway/reading_time.h"

#include <algorithm>

namespace partita {

Status ScoredRows::add(PlaceView view, const std::optional<std::vector<DocumentNumber>>& numbers, uint64_t entries_read,
                       const query::Environment& environment) {
  entries_read_ += entries_read;
  const EffectiveKeyRange& range = view.place->range();
  const bool is_whole = request_.range.min <= range.min && range.max <= request_.range.max;
  const auto part = static_cast<uint32_t>(parts_.size());
  query::VectorScorer scorer(order_);
  ReadingTime time(environment);
  IndexCursor vectors = IndexReader(view.slice, view.at).entries(order_.path.vector());
  for (vectors.seek_first(); vectors.valid(); vectors.next()) {
    ++entries_read_;
    if (time.is_over()) return ReadingTime::failure();
    if (numbers && !std::ranges::binary_search(*numbers, vectors.number())) continue;
    Scored scored{.order = {}, .number = vectors.number(), .part = part};
    if (!scorer.append_order(scored.order, vectors.payload()) || is_before_start(scored)) continue;
    scored_.push_back(std::move(scored));
  }
  TRY(vectors.status());
  parts_.emplace_back(std::move(view), is_whole);
  return {};
}

bool ScoredRows::is_behind(const Scored& left, const Scored& right) const {
  const int order = left.order.compare(right.order);
  if (order != 0) return order > 0;
  return order_.is_descending ? left.number < right.number : right.number < left.number;
}

// The document that the position names may have to be read again.
bool ScoredRows::is_before_start(const Scored& scored) const {
  if (!request_.from || request_.from->progress.order.empty()) return false;
  const query::Position& position = request_.from->progress;
  return is_behind({.order = position.order, .number = DocumentNumber{position.origin.number}, .part = 0}, scored);
}

Result<Value> ScoredRows::next() {
  const auto behind = [this](const Scored& left, const Scored& right) { return is_behind(left, right); };
  if (!std::exchange(is_heap_, true)) std::ranges::make_heap(scored_, behind);
  while (!scored_.empty()) {
    std::ranges::pop_heap(scored_, behind);
    const Scored scored = std::move(scored_.back());
    scored_.pop_back();
    TRY_ASSIGN(const std::string_view record, loader_.load(parts_[scored.part].view, scored.number));
    if (record.empty()) continue;
    TRY_ASSIGN(const Value document, document_of_record(scored.number, record));
    const EffectiveKeyRange* range = parts_[scored.part].is_whole ? nullptr : &request_.range;
    if (!is_in_scope(document, container_.definition.partition_key, request_.key, range)) continue;
    note_row(scored.number, record.size());
    return document;
  }
  note_end();
  return Value();
}

std::string ScoredRows::use_text() const { return to_text(order_.path.vector()) + " by distance"; }

}  // namespace partita
