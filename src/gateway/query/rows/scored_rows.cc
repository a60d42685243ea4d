#include "gateway/query/rows/scored_rows.h"

namespace partita {

Result<Value> ScoredRows::next() {
  while (ScoredCursor* first = find_first()) {
    const DocumentNumber number = first->number();
    TRY_ASSIGN(const Value document, first->take());
    if (document.is_undefined()) continue;
    note_row(number, first->document_bytes());
    return document;
  }
  note_end();
  return Value();
}

// Null at the end of all.
ScoredCursor* ScoredRows::find_first() {
  ScoredCursor* first = nullptr;
  for (ScoredCursor& cursor : cursors_) {
    if (!cursor.is_at_end() && (first == nullptr || cursor.is_before(*first))) first = &cursor;
  }
  return first;
}

uint64_t ScoredRows::entries_read() const {
  uint64_t entries = 0;
  for (const ScoredCursor& cursor : cursors_) entries += cursor.entries_read();
  return entries;
}

}  // namespace partita
