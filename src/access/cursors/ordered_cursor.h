#pragma once

#include "access/index/index_access.h"
#include "access/index/ordered_entries.h"
#include "access/read_scope.h"
#include "base/result.h"
#include "query/execute/execution.h"
#include "query/execute/position.h"

#include <cstdint>
#include <string>

namespace partita {

// OrderedCursor: the documents of a partition that may pass a plan's filter, in the order of its sort key, as the index has them.
// Not thread-safe; stays where it was begun.
class OrderedCursor {
 public:
  // From the row of the position on, or from the first when there is none. The environment outlives it.
  OrderedCursor(PartitionView view, OrderedUse use, const ScopeTest& scope, const query::Position* from,
                const query::Environment& environment);

  // Goes to the first entry.
  Status begin() { return entries_.begin(); }
  bool is_at_end() const { return entries_.is_at_end(); }
  // REQUIRES of all: not at the end.
  DocumentNumber number() const { return entries_.number(); }
  // Whether its entry comes first in the plan's order. The other reads another partition.
  bool is_before(const OrderedCursor& other) const;
  // The document of the entry, valid until the cursor moves; undefined when it is not wanted: it is known not to pass the filter,
  // it has expired, or it is not in scope.
  Result<Value> document();
  Status next() { return entries_.next(); }

  // How many documents it gave, and the size of the last one.
  uint64_t documents() const { return documents_; }
  size_t document_bytes() const { return document_bytes_; }
  // That so many of them did not pass the filter.
  void note_vain_loads(uint64_t loads) const { use_.filter.note_vain_loads(loads); }
  uint64_t entries_read() const { return use_.entries_read + entries_.entries_read(); }
  std::string use_text() const;

 private:
  OrderedUse use_;
  ScopeTest scope_;
  OrderedEntries entries_;
  uint64_t documents_ = 0;
  size_t document_bytes_ = 0;
};

}  // namespace partita
