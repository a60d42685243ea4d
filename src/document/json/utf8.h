#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

// UTF-8, and its generalised form (WTF-8) that also holds the surrogates which JSON texts may contain unpaired.
namespace partita {

constexpr bool is_high_surrogate(uint32_t unit) { return unit >= 0xD800 && unit <= 0xDBFF; }
constexpr bool is_low_surrogate(uint32_t unit) { return unit >= 0xDC00 && unit <= 0xDFFF; }
constexpr bool is_surrogate(uint32_t unit) { return unit >= 0xD800 && unit <= 0xDFFF; }

// Accepted: single ones, in three bytes. A pair must be the one character that it means.
enum class Surrogates : uint8_t { kRejected, kAccepted };

// How many bytes at the beginning are well-formed: text.size() when all are.
size_t well_formed_utf8_bytes(std::string_view text, Surrogates surrogates);

// The text with U+FFFD for every byte that no well-formed sequence has; surrogates are accepted. For texts from outside that are
// quoted in texts of ours.
std::string repaired_utf8(std::string_view text);
// The longest beginning of so many bytes at most that does not cut a character in two.
std::string_view utf8_prefix(std::string_view text, size_t bytes_max);

// Also a surrogate, in three bytes.
void append_code_point(std::string& out, uint32_t code_point);

struct CodePoint {
  uint32_t value;
  size_t bytes;
};
// The code point at the beginning of the text. REQUIRES: well-formed, surrogates accepted, and not empty.
CodePoint first_code_point(std::string_view text);

}  // namespace partita
