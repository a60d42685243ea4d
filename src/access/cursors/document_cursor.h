#pragma once

#include "access/index/index_access.h"
#include "access/partition_view.h"
#include "access/read_scope.h"
#include "base/result.h"
#include "engine/index/index_reader.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace partita {

// DocumentCursor: the documents of a partition that the index was used to choose, behind a number, in the order of their numbers.
// Not thread-safe.
class DocumentCursor {
 public:
  DocumentCursor(PartitionView view, IndexUse use, const ScopeTest& scope, DocumentNumber after);

  // Nothing that it reads, deletions included, is newer.
  Lsn lsn() const { return view_.lsn; }
  bool is_at_end() const { return is_at_end_; }
  // REQUIRES: not at the end.
  DocumentNumber number() const { return number_; }
  uint64_t stands_for() const { return use_.choice.stand_for.empty() ? 1 : use_.choice.stand_for[next_number_]; }
  // The document's record; valid until the reader moves. Empty when there is no document: it has expired, or what the index says
  // is older.
  Result<std::string_view> record();
  void next();
  // Whether that document is in scope.
  bool is_wanted(const Value& document) const { return scope_.passes(document); }
  // To be asked at the end.
  Status status() const;

  uint64_t entries_read() const { return use_.entries_read + entries_read_; }
  // What is read: "scan", or the predicate that the documents come from.
  const std::string& use_text() const { return use_.text; }
  // Which is to be told how many documents were loaded in vain, when that is known.
  std::optional<PredicateFilter> take_filter() { return std::exchange(use_.filter, std::nullopt); }

 private:
  void stand();
  Result<std::string_view> stored_record();
  Result<std::string_view> record_by_cursor();

  PartitionView view_;
  IndexUse use_;
  ScopeTest scope_;
  std::optional<IndexCursor> entries_;
  std::optional<Cursor> items_;
  DocumentNumber items_number_;  // where items_ stands, if it is valid
  DocumentNumber loaded_;        // the last one whose record was asked for
  size_t next_number_ = 0;
  bool is_at_end_ = false;
  DocumentNumber number_;
  uint64_t entries_read_ = 0;
  RecordLoader loader_;
};

}  // namespace partita
