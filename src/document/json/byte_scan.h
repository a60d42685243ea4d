#pragma once

#include "base/bytes.h"

#include <cstdint>
#include <string_view>

// Looking at eight bytes at once: is one of them special?
namespace partita {

constexpr uint64_t in_every_byte(uint8_t byte) { return 0x0101010101010101u * byte; }

// Not zero when a byte is below the limit. REQUIRES: limit <= 0x80.
constexpr uint64_t any_below(uint64_t word, uint8_t limit) { return (word - in_every_byte(limit)) & ~word & in_every_byte(0x80); }

// Not zero when a byte equals the wanted one.
constexpr uint64_t any_equal(uint64_t word, char wanted) {
  return any_below(word ^ in_every_byte(static_cast<uint8_t>(wanted)), 1);
}

// The bytes of a text of at most seven bytes, some of them twice, in any order; 'x' where it has none.
inline uint64_t short_text_word(std::string_view text) {
  const char* at = text.data();
  if (text.size() >= sizeof(uint32_t)) {
    return load_little_endian<uint32_t>(at) | uint64_t{load_little_endian<uint32_t>(at + text.size() - sizeof(uint32_t))} << 32;
  }
  uint64_t word = in_every_byte('x');
  for (const char byte : text) word = word << 8 | static_cast<uint8_t>(byte);
  return word;
}

// Whether `is_special` holds for any word of the text. It may see a byte twice, and 'x' where a short text has none.
template <typename IsSpecial>
bool any_word(std::string_view text, IsSpecial is_special) {
  if (text.size() < sizeof(uint64_t)) return is_special(short_text_word(text));
  const char* last = text.data() + text.size() - sizeof(uint64_t);
  for (const char* at = text.data(); at < last; at += sizeof(uint64_t)) {
    if (is_special(load_little_endian<uint64_t>(at))) return true;
  }
  return is_special(load_little_endian<uint64_t>(last));
}

}  // namespace partita
