#include "storage/rocks.h"

#include "base/must_not_wait.h"

#include <fmt/format.h>

namespace partita::rocks {

Error to_error(const rocksdb::Status& status) {
  // Of a table that would have to be read (table_file.h), and of a write that would have to wait for others to be written out.
  if (MustNotWait::applies() && (status.IsBusy() || status.IsIncomplete())) return MustNotWait::refuse().error();
  if (status.IsNoSpace()) return {ErrorCode::kStorageFailure, fmt::format("the disk is full: {}", status.ToString())};
  if (status.IsCorruption()) return {ErrorCode::kCorruption, fmt::format("stored data is damaged: {}", status.ToString())};
  return {ErrorCode::kStorageFailure, fmt::format("the disk refused: {}", status.ToString())};
}

}  // namespace partita::rocks
