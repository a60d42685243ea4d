#include "gateway/query/rows/ordered_rows.h"

namespace partita {

Result<Value> OrderedRows::next() {
  if (!std::exchange(is_begun_, true)) {
    for (OrderedCursor& cursor : cursors_) TRY(cursor.begin());
  }
  while (true) {
    if (time_.is_over()) return ReadingTime::failure();
    if (current_ != nullptr) TRY(current_->next());
    current_ = find_first();
    if (current_ == nullptr) {
      note_end();
      return Value();
    }
    TRY_ASSIGN(const Value document, current_->document());
    if (document.is_undefined()) continue;
    note_row(current_->number(), current_->document_bytes());
    return document;
  }
}

OrderedCursor* OrderedRows::find_first() {
  OrderedCursor* first = nullptr;
  for (OrderedCursor& cursor : cursors_) {
    if (!cursor.is_at_end() && (first == nullptr || cursor.is_before(*first))) first = &cursor;
  }
  return first;
}

// One row was read ahead.
void OrderedRows::note_page(uint64_t results) {
  if (rows() <= results + 1) return;
  const uint64_t in_vain = rows() - results - 1;
  for (const OrderedCursor& cursor : cursors_) cursor.note_vain_loads(in_vain * cursor.documents() / rows());
}

uint64_t OrderedRows::entries_read() const {
  uint64_t entries = 0;
  for (const OrderedCursor& cursor : cursors_) entries += cursor.entries_read();
  return entries;
}

}  // namespace partita
