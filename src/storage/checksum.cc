#include "storage/checksum.h"

#include "base/bytes.h"

#include <array>
#include <bit>

namespace partita {
namespace {

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

}  // namespace

// Eight bytes at a time.
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

}  // namespace partita
