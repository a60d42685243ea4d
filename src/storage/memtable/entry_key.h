#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace partita {

// EntryKey: what memtable entries are sorted by: a user key, then eight bytes with sequence number and type.
struct EntryKey {
  static constexpr uint32_t kTrailerBytes = 8;

  // An entry is the length of its key as a varint, the key, then a value that does not matter here.
  static EntryKey of(const char* entry) {
    uint32_t size = 0;
    for (int shift = 0;; shift += 7) {
      const auto byte = static_cast<unsigned char>(*entry++);
      size |= (byte & 127U) << shift;
      if (byte < 128) return {entry, size};
    }
  }

  std::string_view user_key() const { return {data, size - kTrailerBytes}; }
  uint64_t trailer() const {
    uint64_t result;
    std::memcpy(&result, data + size - kTrailerBytes, sizeof result);
    return result;
  }

  // Eight bytes of the user key as a big-endian number; zeros stand for bytes beyond its end.
  uint64_t word_at(uint32_t offset) const {
    const uint32_t user_bytes = size - kTrailerBytes;
    if (offset >= user_bytes) return 0;
    uint64_t word;  // may reach into the trailer, never beyond it
    std::memcpy(&word, data + offset, sizeof word);
    if constexpr (std::endian::native == std::endian::little) word = __builtin_bswap64(word);
    const uint32_t available = user_bytes - offset;
    return available >= sizeof word ? word : word & ~(~uint64_t{0} >> (8 * available));
  }

  const char* data;
  uint32_t size;
};

// By user key, and the newest (greatest trailer) first.
inline int compare(const EntryKey& left, const EntryKey& right) {
  if (const int order = left.user_key().compare(right.user_key()); order != 0) return order;
  if (left.trailer() == right.trailer()) return 0;
  return left.trailer() > right.trailer() ? -1 : 1;
}

}  // namespace partita
