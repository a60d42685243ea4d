#pragma once

#include "base/result.h"

#include <rocksdb/slice.h>
#include <rocksdb/status.h>

#include <string_view>

// Translates between RocksDB's types and ours. Private to this room.
namespace partita::rocks {

inline rocksdb::Slice slice(std::string_view bytes) { return {bytes.data(), bytes.size()}; }
inline std::string_view view(const rocksdb::Slice& bytes) { return {bytes.data(), bytes.size()}; }

Error to_error(const rocksdb::Status& status);
inline Status to_status(const rocksdb::Status& status) {
  if (status.ok()) return {};
  return std::unexpected(to_error(status));
}

}  // namespace partita::rocks
