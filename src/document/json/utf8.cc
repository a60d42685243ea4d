#include "document/json/utf8.h"

namespace partita {

namespace {

bool is_continuation(char byte) { return (static_cast<uint8_t>(byte) & 0xC0) == 0x80; }

// Bytes of the sequence that this lead byte announces; 0 when it is none.
size_t sequence_bytes(uint8_t lead) {
  if (lead < 0x80) return 1;
  if (lead < 0xC2) return 0;
  if (lead < 0xE0) return 2;
  if (lead < 0xF0) return 3;
  return lead < 0xF5 ? 4 : 0;
}

// Overlong forms, surrogates and code points beyond Unicode show in the second byte.
bool is_second_byte(uint8_t lead, uint8_t second, Surrogates surrogates) {
  if (lead == 0xE0) return second >= 0xA0;
  if (lead == 0xED) return second <= 0x9F || surrogates == Surrogates::kAccepted;
  if (lead == 0xF0) return second >= 0x90;
  if (lead == 0xF4) return second <= 0x8F;
  return true;
}

bool starts_with_sequence(std::string_view text, size_t bytes, Surrogates surrogates) {
  if (bytes == 0 || bytes > text.size()) return false;
  for (size_t i = 1; i < bytes; ++i) {
    if (!is_continuation(text[i])) return false;
  }
  return bytes == 1 || is_second_byte(static_cast<uint8_t>(text[0]), static_cast<uint8_t>(text[1]), surrogates);
}

// A pair of surrogates has one form only: the four bytes of the character that it means.
bool starts_with_surrogate_pair(std::string_view text) {
  const auto is_surrogate_of = [&](size_t at, uint8_t low, uint8_t high) {
    const auto second = static_cast<uint8_t>(text[at + 1]);
    return text[at] == '\xED' && second >= low && second <= high;
  };
  return text.size() >= 6 && is_surrogate_of(0, 0xA0, 0xAF) && is_surrogate_of(3, 0xB0, 0xBF);
}

}  // namespace

size_t well_formed_utf8_bytes(std::string_view text, Surrogates surrogates) {
  size_t at = 0;
  while (at < text.size()) {
    const size_t bytes = sequence_bytes(static_cast<uint8_t>(text[at]));
    const std::string_view rest = text.substr(at);
    if (!starts_with_sequence(rest, bytes, surrogates) || starts_with_surrogate_pair(rest)) break;
    at += bytes;
  }
  return at;
}

std::string repaired_utf8(std::string_view text) {
  constexpr std::string_view kReplacement = "\xEF\xBF\xBD";
  std::string out;
  while (true) {
    const size_t sound = well_formed_utf8_bytes(text, Surrogates::kAccepted);
    out += text.substr(0, sound);
    if (sound == text.size()) return out;
    out += kReplacement;
    text.remove_prefix(sound + 1);
  }
}

std::string_view utf8_prefix(std::string_view text, size_t bytes_max) {
  if (text.size() <= bytes_max) return text;
  constexpr size_t kSequenceBytesMax = 4;
  size_t end = bytes_max;
  while (end > 0 && bytes_max - end < kSequenceBytesMax && is_continuation(text[end])) --end;
  return text.substr(0, is_continuation(text[end]) ? bytes_max : end);
}

void append_code_point(std::string& out, uint32_t code_point) {
  if (code_point < 0x80) {
    out += static_cast<char>(code_point);
    return;
  }
  if (code_point < 0x800) {
    out += static_cast<char>(0xC0 | code_point >> 6);
  } else {
    if (code_point < 0x10000) {
      out += static_cast<char>(0xE0 | code_point >> 12);
    } else {
      out += static_cast<char>(0xF0 | code_point >> 18);
      out += static_cast<char>(0x80 | (code_point >> 12 & 0x3F));
    }
    out += static_cast<char>(0x80 | (code_point >> 6 & 0x3F));
  }
  out += static_cast<char>(0x80 | (code_point & 0x3F));
}

CodePoint first_code_point(std::string_view text) {
  const auto lead = static_cast<uint8_t>(text[0]);
  const size_t bytes = sequence_bytes(lead);
  if (bytes == 1) return {lead, 1};
  uint32_t value = lead & (0x7Fu >> bytes);
  for (size_t i = 1; i < bytes; ++i) value = value << 6 | (static_cast<uint8_t>(text[i]) & 0x3F);
  return {value, bytes};
}

}  // namespace partita
