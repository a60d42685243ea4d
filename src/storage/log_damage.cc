#include "storage/log_damage.h"

#include "base/bytes.h"

#include <fmt/format.h>

#include <bit>
#include <filesystem>
#include <fstream>
#include <vector>

namespace partita {
namespace {

// Types of records in the log: a whole batch, or the parts of one.
constexpr char kWhole = 1;
constexpr char kFirst = 2;
constexpr char kMiddle = 3;
constexpr char kLast = 4;

// RocksDB's tag for data that is for the log only, and the length of a mark.
constexpr std::string_view kMarkTag("\x03\x10", 2);

using ChecksumTables = std::array<std::array<uint32_t, 256>, 8>;

constexpr ChecksumTables make_checksum_tables() {
  constexpr uint32_t kCastagnoli = 0x82F63B78;
  ChecksumTables tables{};
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t value = byte;
    for (int bit = 0; bit < 8; ++bit) value = (value >> 1) ^ ((value & 1) != 0 ? kCastagnoli : 0);
    tables[0][byte] = value;
  }
  for (size_t table = 1; table < tables.size(); ++table) {
    for (size_t byte = 0; byte < 256; ++byte) {
      const uint32_t before = tables[table - 1][byte];
      tables[table][byte] = (before >> 8) ^ tables[0][before & 0xFF];
    }
  }
  return tables;
}

constexpr ChecksumTables kTables = make_checksum_tables();

// CRC-32C, eight bytes at a time, in the disguise that RocksDB gives to checksums.
uint32_t masked_checksum(std::string_view bytes) {
  constexpr uint32_t kMask = 0xA282EAD8;
  constexpr int kRotation = 15;
  uint32_t checksum = ~uint32_t{0};
  while (bytes.size() >= sizeof(uint64_t)) {
    const uint64_t word = load_little_endian<uint64_t>(bytes.data()) ^ checksum;
    checksum = 0;
    for (size_t i = 0; i < sizeof(uint64_t); ++i) checksum ^= kTables[7 - i][(word >> (8 * i)) & 0xFF];
    bytes.remove_prefix(sizeof(uint64_t));
  }
  for (const char c : bytes) checksum = (checksum >> 8) ^ kTables[0][(checksum ^ static_cast<uint8_t>(c)) & 0xFF];
  return std::rotr(~checksum, kRotation) + kMask;
}

std::optional<LogMark> mark_of(std::string_view batch) {
  if (batch.size() < kMarkTag.size() + kLogMarkBytes) return std::nullopt;
  const std::string_view end = batch.substr(batch.size() - kMarkTag.size() - kLogMarkBytes);
  if (!end.starts_with(kMarkTag)) return std::nullopt;
  const char* mark = end.data() + kMarkTag.size();
  return LogMark{load_little_endian<uint64_t>(mark), load_little_endian<uint64_t>(mark + sizeof(uint64_t))};
}

Status check_log(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::vector<char> block(kLogBlockBytes);
  LogScan scan;
  while (file) {
    file.read(block.data(), static_cast<std::streamsize>(block.size()));
    scan.read({block.data(), static_cast<size_t>(file.gcount())});
  }
  if (!file.eof()) return fail(ErrorCode::kStorageFailure, fmt::format("the log {} cannot be read", path.string()));
  if (!scan.damaged_at()) return {};
  return fail(ErrorCode::kCorruption,
              fmt::format("the log {0} is damaged at byte {1}, and what was acknowledged behind it cannot be read. Restore a "
                          "backup of the directory; or, in a copy of it, give up all that is behind with `truncate -s {1} {0}`, "
                          "and let `partita check` tell whether the rest is whole",
                          path.string(), *scan.damaged_at()));
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
      note_fragment(summed.front(), summed.substr(1));
    } else {
      note_gap(block_at_ + at);  // if only the content is wrong, the next one is where the length says
    }
    at += kLogHeaderBytes + length;
  }
  block_at_ += block.size();
}

void LogScan::note_fragment(char type, std::string_view bytes) {
  if (type == kWhole) {
    parts_.reset();
    return note_batch(bytes);
  }
  if (type == kFirst) {
    parts_ = bytes;
  } else if (parts_ && (type == kMiddle || type == kLast)) {
    *parts_ += bytes;
    if (type == kLast) {
      note_batch(*parts_);
      parts_.reset();
    }
  }
}

void LogScan::note_batch(std::string_view batch) {
  const std::optional<LogMark> mark = mark_of(batch);
  if (!mark) return;
  if (!gap_at_) {
    serial_before_ = mark->serial;
    return;
  }
  if (!serial_behind_) serial_behind_ = mark->serial;
  const uint64_t lost = serial_before_ ? *serial_before_ + 1 : *serial_behind_ - 1;
  if (lost > 0 && mark->durable >= lost) is_damaged_ = true;
}

void LogScan::note_gap(uint64_t offset) {
  parts_.reset();
  if (!gap_at_) gap_at_ = offset;
}

Status check_logs(const std::string& directory) {
  std::error_code ignored;
  for (const auto& file : std::filesystem::directory_iterator(directory, ignored)) {
    if (file.path().extension() == ".log") TRY(check_log(file.path()));
  }
  return {};
}

}  // namespace partita
