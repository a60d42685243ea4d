#pragma once

#include "base/fair_memory.h"
#include "document/value.h"
#include "engine/item/identity.h"
#include "query/execute/source_cursor.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

namespace partita {

// A document of which somebody computed ahead what a plan needs.
struct PreparedDocument {
  DocumentNumber number;
  uint64_t stands_for = 1;
  size_t record_bytes = 0;
  uint64_t entries_read = 0;  // of the index, in its stretch, up to this document
  Value document;             // null if the plan does not need it
  query::PreparedRow row;
};

// PreparedRows: such documents, first in, first out, in as few bytes as possible: mostly a document is only counted. Not
// thread-safe.
//
//   row    | flags, 1 byte | number - that before | stands for | record bytes | entries - those before | steps | values |
//   values   if the row passes and has values: their number, then each as its length and its stored form (empty: undefined);
//            if it passes and has none: the length of the document and the document
//
// All numbers are varints. Rows are kept in chunks, so that their memory is given back while they are taken.
class PreparedRows {
 public:
  PreparedRows(FairMemory& memory, uint64_t tenant) : loan_(&memory, tenant) {}

  // False when there is no memory for it.
  [[nodiscard]] bool append(const PreparedDocument& document, const query::PreparedRow& row);
  // The next one, valid until the next call; null when there is none.
  const PreparedDocument* take();

 private:
  static constexpr size_t kChunkBytes = 32 << 10;

  bool make_room(size_t bytes);
  uint64_t read_number();
  std::string_view read_bytes();

  MemoryLoan loan_;
  std::deque<std::string> chunks_;
  size_t at_ = 0;        // what was taken of the first chunk
  std::string encoded_;  // the row that is being appended
  StoredWriter writer_;
  uint64_t last_number_ = 0;
  uint64_t last_entries_ = 0;
  PreparedDocument taken_{.number = {}, .document = {}, .row = {}};
};

}  // namespace partita
