#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace partita {

// RocksDB's log is a sequence of blocks (the last one may be shorter), each a sequence of records that do not cross its end:
//
//   checksum, 4 bytes | length, 2 bytes little-endian | type, 1 byte, not 0 | `length` bytes
//
// and less than a header's size of padding. A log whose file is zeroed ahead of what is written ends at the first header of
// zeros.
inline constexpr size_t kLogBlockBytes = 32 * 1024;
inline constexpr size_t kLogLengthAt = 4;
inline constexpr size_t kLogTypeAt = 6;
inline constexpr size_t kLogHeaderBytes = 7;

// Where in this block the log ends; nothing when it may go on behind it. Damage is not looked for: that is RocksDB's, by the
// checksums.
std::optional<size_t> find_log_end(std::string_view block);

}  // namespace partita
