#pragma once

#include "base/result.h"
#include "storage/log_end.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

// Whether a log has lost batches that were durable.
//
// RocksDB ends a replay at the first record whose checksum is wrong. After a power cut that is right: what was not synced may be
// torn, and nobody was told of it. A flipped bit further ahead would make everything behind it disappear, without a word. So that
// the two can be told apart, each batch in the log carries a mark that says what was durable when it was written. Damage of the
// last batches of all, behind which nothing says so, cannot be told from a torn end.
namespace partita {

// ON DISK, at the end of each batch in the log, as data for the log only: both little-endian. docs/formats/keyspace.md.
struct LogMark {
  uint64_t serial = 0;   // of the batch; those in one log follow each other
  uint64_t durable = 0;  // all batches up to this one were on disk

  bool operator==(const LogMark&) const = default;
};
inline constexpr size_t kLogMarkBytes = 16;
std::array<char, kLogMarkBytes> encode(const LogMark& mark);

// LogScan: reads one log, block by block, and judges it. Not thread-safe.
class LogScan {
 public:
  // REQUIRES: kLogBlockBytes, or less of the last one.
  void read(std::string_view block);
  // Where the first record is that cannot be read, if batches behind it say that it was durable.
  std::optional<uint64_t> damaged_at() const { return is_damaged_ ? gap_at_ : std::nullopt; }

 private:
  void note_fragment(char type, std::string_view bytes);
  void note_batch(std::string_view batch);
  void note_gap(uint64_t offset);

  uint64_t block_at_ = 0;
  std::optional<std::string> parts_;  // of a batch whose end is in a block to come
  std::optional<uint64_t> gap_at_;
  std::optional<uint64_t> serial_before_;  // the gap
  std::optional<uint64_t> serial_behind_;
  bool is_damaged_ = false;
};

// Every log in a store's directory. kCorruption, with what to do, when one has lost something durable.
Status check_logs(const std::string& directory);

}  // namespace partita
