#include "access/cursors/scored_cursor.h"

#include "access/reading_time.h"
#include "engine/index/index_reader.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace partita {

ScoredCursor::ScoredCursor(PartitionView view, VectorUse use, const ScopeTest& scope)
    : view_(std::move(view)), order_(std::move(use.order)), scope_(scope), entries_read_(use.entries_read) {}

Result<ScoredCursor> ScoredCursor::open(PartitionView view, VectorUse use, const ScopeTest& scope, const query::Position* from,
                                        const query::Environment& environment) {
  const std::optional<std::vector<DocumentNumber>> numbers = std::move(use.numbers);
  ScoredCursor cursor(std::move(view), std::move(use), scope);
  TRY(cursor.score(numbers, from, environment));
  return cursor;
}

Status ScoredCursor::score(const std::optional<std::vector<DocumentNumber>>& numbers, const query::Position* from,
                           const query::Environment& environment) {
  query::VectorScorer scorer(order_);
  ReadingTime time(environment);
  IndexCursor vectors = IndexReader(view_.slice, view_.at).entries(order_.path.vector());
  for (vectors.seek_first(); vectors.valid(); vectors.next()) {
    ++entries_read_;
    if (time.is_over()) return ReadingTime::failure();
    if (numbers && !std::ranges::binary_search(*numbers, vectors.number())) continue;
    Scored scored{.order = {}, .number = vectors.number()};
    if (!scorer.append_order(scored.order, vectors.payload()) || is_before_start(scored, from)) continue;
    scored_.push_back(std::move(scored));
  }
  TRY(vectors.status());
  std::ranges::make_heap(scored_, [this](const Scored& left, const Scored& right) { return is_behind(left, right); });
  return {};
}

bool ScoredCursor::is_behind(const Scored& left, const Scored& right) const {
  const int order = left.order.compare(right.order);
  if (order != 0) return order > 0;
  return order_.is_descending ? left.number < right.number : right.number < left.number;
}

// The document that the position names may have to be read again.
bool ScoredCursor::is_before_start(const Scored& scored, const query::Position* from) const {
  if (from == nullptr || from->order.empty()) return false;
  return is_behind({.order = from->order, .number = DocumentNumber{from->origin.number}}, scored);
}

Result<Value> ScoredCursor::take() {
  std::ranges::pop_heap(scored_, [this](const Scored& left, const Scored& right) { return is_behind(left, right); });
  const DocumentNumber number = scored_.back().number;
  scored_.pop_back();
  TRY_ASSIGN(const std::string_view record, loader_.load(view_, number));
  if (record.empty()) return Value();
  TRY_ASSIGN(const Value document, document_of_record(number, record));
  if (!scope_.passes(document)) return Value();
  document_bytes_ = record.size();
  return document;
}

}  // namespace partita
