#pragma once

#include "access/partition_view.h"
#include "access/reading_time.h"
#include "engine/index/index_reader.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace partita {

// DocumentsWithout: the documents of a partition that have no value at an indexed path, in the order of their numbers, or
// backwards.
//
// No entry of the index says so, but documents of one shape lack the same paths: one of each shape is looked at, and the others
// are known by the entries of shapes. Where there are too many shapes, all documents are looked at. That there is none is
// remembered until the next write. Not thread-safe.
class DocumentsWithout {
 public:
  // Begins with number `start`, or behind it in the direction of reading. View and environment outlive it.
  DocumentsWithout(const PartitionView& view, ValuePath path, bool is_descending, std::optional<DocumentNumber> start,
                   const query::Environment& environment);

  // Goes to the first one.
  Status begin();
  bool is_at_end() const;
  // REQUIRES of all: not at the end.
  DocumentNumber number() const;
  // Empty when the document has expired.
  Result<std::string_view> record();
  Status next();

  uint64_t entries_read() const { return entries_read_; }

 private:
  bool are_known_to_be_none() const;
  void remember_none() const;
  Result<bool> find_shapes();
  Result<bool> lacks_value(DocumentNumber number);
  void open_shape(const std::string& shape);
  void open_scan();
  void choose_current();
  Status settle();

  const PartitionView& view_;
  ValuePath path_;
  bool is_descending_;
  std::optional<DocumentNumber> start_;
  std::vector<std::string> shapes_;   // whose documents lack the path
  std::vector<IndexCursor> cursors_;  // one for each
  IndexCursor* current_ = nullptr;    // null at the end, and in a scan
  std::optional<Cursor> scan_;
  uint64_t entries_read_ = 0;
  RecordLoader loader_;
  ReadingTime time_;
};

}  // namespace partita
