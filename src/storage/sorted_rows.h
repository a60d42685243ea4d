#pragma once

#include "base/result.h"
#include "storage/keyspace.h"

#include <memory>
#include <string_view>

namespace partita {

// SortedRows: rows of one family, written in the order of their keys into files of their own, which Store::ingest() takes in as
// they are. Many times cheaper than batches: no log, no memtable, no compaction. Not thread-safe; files that were not taken in
// disappear with the object.
class SortedRows {
 public:
  ~SortedRows();
  SortedRows(SortedRows&&) noexcept;
  SortedRows& operator=(SortedRows&&) = delete;

  // REQUIRES: keys increase.
  Status add(std::string_view key, std::string_view value);

 private:
  friend class Store;
  struct State;
  explicit SortedRows(std::unique_ptr<State> state);
  Status finish_file();
  std::unique_ptr<State> state_;
};

}  // namespace partita
