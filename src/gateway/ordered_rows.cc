#include "gateway/ordered_rows.h"

#include <fmt/format.h>

namespace partita {

Result<Value> OrderedRows::next() {
  if (!std::exchange(is_begun_, true)) {
    for (Part& part : parts_) TRY(part.place.begin());
  }
  while (true) {
    if (time_.is_over()) return ReadingTime::failure();
    if (current_ != nullptr) TRY(current_->place.next());
    current_ = find_first();
    if (current_ == nullptr) {
      note_end();
      return Value();
    }
    if (!current_->filter.may_pass(current_->place.number())) continue;
    TRY_ASSIGN(const std::string_view record, current_->place.record());
    if (record.empty()) continue;
    TRY_ASSIGN(const Value document, document_of_record(current_->place.number(), record));
    const EffectiveKeyRange* range = current_->is_whole ? nullptr : &request_.range;
    if (!is_in_scope(document, container_.definition.partition_key, request_.key, range)) continue;
    note_row(current_->place.number(), record.size());
    ++current_->rows;
    return document;
  }
}

bool OrderedRows::is_before(const Part& left, const Part& right) const {
  const int order = left.place.key_form().compare(right.place.key_form());
  const bool is_less = order != 0 ? order < 0 : left.place.number() < right.place.number();
  return is_less != order_.is_descending;
}

OrderedRows::Part* OrderedRows::find_first() {
  Part* first = nullptr;
  for (Part& part : parts_) {
    if (!part.place.is_at_end() && (first == nullptr || is_before(part, *first))) first = &part;
  }
  return first;
}

// One row was read ahead.
void OrderedRows::note_page(uint64_t results) {
  if (rows() <= results + 1) return;
  const uint64_t in_vain = rows() - results - 1;
  for (const Part& part : parts_) part.filter.note_vain_loads(in_vain * part.rows / rows());
}

uint64_t OrderedRows::entries_read() const {
  uint64_t entries = 0;
  for (const Part& part : parts_) entries += part.entries_read + part.place.entries_read();
  return entries;
}

std::string OrderedRows::use_text() const {
  std::string text = order_.is_composite()
                         ? fmt::format("{} in order", query::to_text(order_))
                         : fmt::format("{} in order{}", to_text(order_.path), order_.is_descending ? ", backwards" : "");
  const std::string& known = parts_.front().filter.text();
  return known.empty() ? text : fmt::format("{}, known: {}", text, known);
}

}  // namespace partita
