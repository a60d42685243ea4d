#pragma once

#include "base/result.h"
#include "storage/log/log_end.h"

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
// last batches of all, behind which nothing says so, cannot be told from a torn end by the log alone: see log_ledger.h.
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
  // `sought_end` is where a batch must end.
  explicit LogScan(uint64_t sought_end = 0) : sought_end_(sought_end), has_sought_end_(sought_end == 0) {}

  // REQUIRES: kLogBlockBytes, or less of the last one.
  void read(std::string_view block);
  // Whole blocks of zeros.
  void skip(uint64_t bytes);
  // Where the first record is that cannot be read, if batches behind it say that it was durable.
  std::optional<uint64_t> damaged_at() const { return is_damaged_ ? gap_at_ : std::nullopt; }
  bool has_gap() const { return gap_at_.has_value(); }
  // Where the last batch before the first gap ends, and its serial, if it has one.
  uint64_t batch_bytes() const { return batch_bytes_; }
  bool has_sought_end() const { return has_sought_end_; }
  std::optional<uint64_t> last_serial() const { return serial_before_; }

 private:
  void note_fragment(char type, std::string_view bytes);
  void note_batch(std::string_view batch);
  void note_gap(uint64_t offset);

  uint64_t sought_end_;
  bool has_sought_end_;
  uint64_t block_at_ = 0;
  uint64_t fragment_end_ = 0;
  uint64_t batch_bytes_ = 0;
  std::optional<std::string> parts_;  // of a batch whose end is in a block to come
  std::optional<uint64_t> gap_at_;
  std::optional<uint64_t> serial_before_;  // the gap
  std::optional<uint64_t> serial_behind_;
  bool is_damaged_ = false;
};

}  // namespace partita
