#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace partita {

// RocksDB's log is a sequence of blocks (the last one may be shorter), each a sequence of records that do not cross its end:
//
//   checksum, 4 bytes | length, 2 bytes little-endian | type, 1 byte, not 0 | `length` bytes
//
// and less than a header's size of padding. A record is a whole batch or a part of one. A log whose file is longer than what was
// written ends at the first header of zeros.
inline constexpr size_t kLogBlockBytes = 32 * 1024;
inline constexpr size_t kLogLengthAt = 4;
inline constexpr size_t kLogTypeAt = 6;
inline constexpr size_t kLogHeaderBytes = 7;

enum LogRecordType : char { kLogWhole = 1, kLogFirst = 2, kLogMiddle = 3, kLogLast = 4 };

// Where in this block the log ends; nothing when it may go on behind it. Damage is not looked for: that is RocksDB's, by the
// checksums.
std::optional<size_t> find_log_end(std::string_view block);

// BatchEnds: follows the bytes of a log as they are written, however they are cut, and knows where the last whole batch ends. Not
// thread-safe.
class BatchEnds {
 public:
  // What follows what was told before.
  void note(std::string_view bytes);
  uint64_t last() const { return last_; }

 private:
  void take_header(std::string_view& bytes);
  void skip(std::string_view& bytes, size_t count);

  uint64_t at_ = 0;
  uint64_t last_ = 0;
  std::array<char, kLogHeaderBytes> header_{};
  size_t header_bytes_ = 0;   // of header_, that have come
  size_t content_bytes_ = 0;  // of the current record, that are still to come
  bool ends_batch_ = false;   // does the current record?
};

}  // namespace partita
