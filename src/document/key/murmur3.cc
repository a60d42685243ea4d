#include "document/key/murmur3.h"

#include "base/bytes.h"

#include <bit>

namespace partita {

namespace {

// Up to eight bytes, little-endian, zeros above.
uint64_t load_partial(std::string_view bytes) {
  uint64_t word = 0;
  for (size_t i = bytes.size(); i > 0; --i) word = word << 8 | static_cast<uint8_t>(bytes[i - 1]);
  return word;
}

uint32_t mix32(uint32_t block) { return std::rotl(block * 0xCC9E2D51u, 15) * 0x1B873593u; }

uint32_t finish32(uint32_t hash) {
  hash = (hash ^ hash >> 16) * 0x85EBCA6Bu;
  hash = (hash ^ hash >> 13) * 0xC2B2AE35u;
  return hash ^ hash >> 16;
}

constexpr uint64_t kFirst = 0x87C37B91114253D5u;
constexpr uint64_t kSecond = 0x4CF5AD432745937Fu;

uint64_t mix_low(uint64_t block) { return std::rotl(block * kFirst, 31) * kSecond; }
uint64_t mix_high(uint64_t block) { return std::rotl(block * kSecond, 33) * kFirst; }

uint64_t finish64(uint64_t hash) {
  hash = (hash ^ hash >> 33) * 0xFF51AFD7ED558CCDu;
  hash = (hash ^ hash >> 33) * 0xC4CEB9FE1A85EC53u;
  return hash ^ hash >> 33;
}

}  // namespace

uint32_t murmur3_x86_32(std::string_view bytes) {
  const size_t length = bytes.size();
  uint32_t hash = 0;
  for (; bytes.size() >= 4; bytes.remove_prefix(4)) {
    hash ^= mix32(load_little_endian<uint32_t>(bytes.data()));
    hash = std::rotl(hash, 13) * 5 + 0xE6546B64u;
  }
  hash ^= mix32(static_cast<uint32_t>(load_partial(bytes)));
  return finish32(hash ^ static_cast<uint32_t>(length));
}

Hash128 murmur3_x64_128(std::string_view bytes) {
  const size_t length = bytes.size();
  uint64_t low = 0;
  uint64_t high = 0;
  for (; bytes.size() >= 16; bytes.remove_prefix(16)) {
    low ^= mix_low(load_little_endian<uint64_t>(bytes.data()));
    low = (std::rotl(low, 27) + high) * 5 + 0x52DCE729u;
    high ^= mix_high(load_little_endian<uint64_t>(bytes.data() + 8));
    high = (std::rotl(high, 31) + low) * 5 + 0x38495AB5u;
  }
  low ^= mix_low(load_partial(bytes.substr(0, 8)));
  high ^= mix_high(load_partial(bytes.size() > 8 ? bytes.substr(8) : std::string_view{}));

  low ^= length;
  high ^= length;
  low += high;
  high += low;
  low = finish64(low);
  high = finish64(high);
  low += high;
  high += low;
  return {low, high};
}

}  // namespace partita
