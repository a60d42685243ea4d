#include "storage/log/log_damage.h"

#include "base/bytes.h"
#include "storage/checksum.h"

namespace partita {
namespace {

// RocksDB's tag for data that is for the log only, and the length of a mark.
constexpr std::string_view kMarkTag("\x03\x10", 2);

std::optional<LogMark> mark_of(std::string_view batch) {
  if (batch.size() < kMarkTag.size() + kLogMarkBytes) return std::nullopt;
  const std::string_view end = batch.substr(batch.size() - kMarkTag.size() - kLogMarkBytes);
  if (!end.starts_with(kMarkTag)) return std::nullopt;
  const char* mark = end.data() + kMarkTag.size();
  return LogMark{load_little_endian<uint64_t>(mark), load_little_endian<uint64_t>(mark + sizeof(uint64_t))};
}

}  // namespace

std::array<char, kLogMarkBytes> encode(const LogMark& mark) {
  std::array<char, kLogMarkBytes> bytes;
  store_little_endian(bytes.data(), mark.serial);
  store_little_endian(bytes.data() + sizeof(uint64_t), mark.durable);
  return bytes;
}

void LogScan::read(std::string_view block) {
  size_t at = 0;
  while (at + kLogHeaderBytes <= block.size()) {
    const char* header = block.data() + at;
    const size_t length = load_little_endian<uint16_t>(header + kLogLengthAt);
    const bool is_end = length == 0 && header[kLogTypeAt] == 0;
    if (is_end || at + kLogHeaderBytes + length > block.size()) {
      note_gap(block_at_ + at);
      break;
    }
    const std::string_view summed = block.substr(at + kLogTypeAt, 1 + length);
    if (masked_checksum(summed) == load_little_endian<uint32_t>(header)) {
      fragment_end_ = block_at_ + at + kLogHeaderBytes + length;
      note_fragment(summed.front(), summed.substr(1));
    } else {
      note_gap(block_at_ + at);  // if only the content is wrong, the next one is where the length says
    }
    at += kLogHeaderBytes + length;
  }
  block_at_ += block.size();
}

void LogScan::skip(uint64_t bytes) {
  note_gap(block_at_);
  block_at_ += bytes;
}

void LogScan::note_fragment(char type, std::string_view bytes) {
  if (type == kLogWhole) {
    parts_.reset();
    return note_batch(bytes);
  }
  if (type == kLogFirst) {
    parts_ = bytes;
  } else if (parts_ && (type == kLogMiddle || type == kLogLast)) {
    *parts_ += bytes;
    if (type == kLogLast) {
      note_batch(*parts_);
      parts_.reset();
    }
  }
}

void LogScan::note_batch(std::string_view batch) {
  const std::optional<LogMark> mark = mark_of(batch);
  if (!gap_at_) {
    batch_bytes_ = fragment_end_;
    has_sought_end_ = has_sought_end_ || batch_bytes_ == sought_end_;
    if (mark) serial_before_ = mark->serial;
    return;
  }
  if (!mark) return;
  if (!serial_behind_) serial_behind_ = mark->serial;
  const uint64_t lost = serial_before_ ? *serial_before_ + 1 : *serial_behind_ - 1;
  if (lost > 0 && mark->durable >= lost) is_damaged_ = true;
}

void LogScan::note_gap(uint64_t offset) {
  parts_.reset();
  if (!gap_at_) gap_at_ = offset;
}

}  // namespace partita
