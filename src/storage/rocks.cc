#include "storage/rocks.h"

#include <fmt/format.h>

namespace partita::rocks {

Error to_error(const rocksdb::Status& status) {
  if (status.IsNoSpace()) return {ErrorCode::kStorageFailure, fmt::format("the disk is full: {}", status.ToString())};
  if (status.IsCorruption()) return {ErrorCode::kCorruption, fmt::format("stored data is damaged: {}", status.ToString())};
  return {ErrorCode::kStorageFailure, fmt::format("the disk refused: {}", status.ToString())};
}

}  // namespace partita::rocks
