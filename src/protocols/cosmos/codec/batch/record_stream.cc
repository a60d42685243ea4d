#include "protocols/cosmos/codec/batch/record_stream.h"

#include "base/bytes.h"

#include <fmt/format.h>

#include <array>

namespace partita::cosmos {
namespace {

constexpr uint32_t kSegmentSchema = 0x7FFFD8F0;
constexpr uint32_t kRecordSchema = 0x7FFFD8F1;
constexpr size_t kSegmentBytes = kRowHeaderBytes + 1 + sizeof(uint32_t);
constexpr size_t kRecordHeaderBytes = kRowHeaderBytes + 2 * sizeof(uint32_t);
constexpr uint8_t kLengthIsPresent = 1;

std::unexpected<Error> invalid(std::string_view why) {
  return fail(ErrorCode::kInvalidInput, fmt::format("The batch is not a stream of records: {}.", why));
}

// The CRC of ISO 3309, by the byte.
constexpr std::array<uint32_t, 256> make_remainders() {
  constexpr uint32_t kPolynomial = 0xEDB88320;
  std::array<uint32_t, 256> table{};
  for (uint32_t byte = 0; byte < table.size(); ++byte) {
    uint32_t remainder = byte;
    for (int bit = 0; bit < 8; ++bit) remainder = (remainder >> 1) ^ ((remainder & 1) * kPolynomial);
    table[byte] = remainder;
  }
  return table;
}

uint32_t crc32(std::string_view bytes) {
  static constexpr std::array<uint32_t, 256> kRemainders = make_remainders();
  uint32_t crc = ~0U;
  for (const char byte : bytes) crc = (crc >> 8) ^ kRemainders[(crc ^ static_cast<uint8_t>(byte)) & 0xFF];
  return ~crc;
}

void append_header(std::string& out, uint32_t schema) {
  out += static_cast<char>(kRowVersion);
  append_little_endian(out, schema);
}

}  // namespace

bool is_record_stream(std::string_view bytes) { return !bytes.empty() && static_cast<uint8_t>(bytes[0]) == kRowVersion; }

Result<std::vector<std::string_view>> parse_record_stream(std::string_view bytes) {
  std::vector<std::string_view> rows;
  bool has_segment = false;
  while (!bytes.empty()) {
    if (bytes.size() < kSegmentBytes || !is_record_stream(bytes)) return invalid("a header is cut short");
    const uint32_t schema = load_little_endian<uint32_t>(bytes.data() + 1);
    if (schema == kSegmentSchema) {
      const uint32_t length = load_little_endian<uint32_t>(bytes.data() + kRowHeaderBytes + 1);
      if (static_cast<uint8_t>(bytes[kRowHeaderBytes]) != kLengthIsPresent || length < kSegmentBytes || length > bytes.size()) {
        return invalid("a segment has no usable length");
      }
      has_segment = true;
      bytes.remove_prefix(length);
      continue;
    }
    if (schema != kRecordSchema || !has_segment) return invalid("it has a header of an unknown kind");
    if (bytes.size() < kRecordHeaderBytes) return invalid("a header is cut short");
    const uint32_t length = load_little_endian<uint32_t>(bytes.data() + kRowHeaderBytes);
    const uint32_t checksum = load_little_endian<uint32_t>(bytes.data() + kRowHeaderBytes + sizeof(uint32_t));
    bytes.remove_prefix(kRecordHeaderBytes);
    if (length > bytes.size()) return invalid("a record is cut short");
    const std::string_view row = bytes.substr(0, length);
    if (crc32(row) != checksum) return invalid("a record does not match its checksum");
    rows.push_back(row);
    bytes.remove_prefix(length);
  }
  return rows;
}

void begin_record_stream(std::string& out) {
  append_header(out, kSegmentSchema);
  out += static_cast<char>(kLengthIsPresent);
  append_little_endian(out, static_cast<uint32_t>(kSegmentBytes));
}

void append_record(std::string& out, std::string_view row) {
  append_header(out, kRecordSchema);
  append_little_endian(out, static_cast<uint32_t>(row.size()));
  append_little_endian(out, crc32(row));
  out += row;
}

}  // namespace partita::cosmos
