#include "query/value/text.h"

#include <fmt/format.h>
#include <unicode/uchar.h>

#include <algorithm>
#include <iterator>

namespace partita::query {
namespace {

constexpr bool is_continuation(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

// Bytes of the sequence that this lead byte starts; 1 for bytes that start none.
constexpr size_t sequence_length(unsigned char lead) {
  if (lead < 0xC2) return 1;
  if (lead < 0xE0) return 2;
  if (lead < 0xF0) return 3;
  return lead < 0xF5 ? 4 : 1;
}

constexpr bool is_high_surrogate(uint32_t unit) { return unit >= 0xD800 && unit < 0xDC00; }
constexpr bool is_low_surrogate(uint32_t unit) { return unit >= 0xDC00 && unit < 0xE000; }

uint32_t assemble(std::string_view sequence) {
  static constexpr uint32_t kLeadMask[] = {0, 0x7F, 0x1F, 0x0F, 0x07};
  uint32_t code_point = static_cast<unsigned char>(sequence[0]) & kLeadMask[sequence.size()];
  for (size_t i = 1; i < sequence.size(); ++i) code_point = (code_point << 6) | (static_cast<unsigned char>(sequence[i]) & 0x3F);
  return code_point;
}

// The well-formed sequence at `at`, or empty.
std::string_view sequence_at(std::string_view text, size_t at) {
  auto lead = static_cast<unsigned char>(text[at]);
  size_t length = sequence_length(lead);
  if (length == 1) return lead < 0x80 ? text.substr(at, 1) : std::string_view();
  if (at + length > text.size()) return {};
  std::string_view sequence = text.substr(at, length);
  if (!std::all_of(sequence.begin() + 1, sequence.end(), is_continuation)) return {};
  uint32_t code_point = assemble(sequence);
  bool is_overlong = (length == 3 && code_point < 0x800) || (length == 4 && code_point < 0x10000);
  return is_overlong || code_point > 0x10FFFF ? std::string_view() : sequence;
}

template <uint32_t (*Map)(uint32_t)>
std::string map_case(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (size_t at = 0; at < text.size();) append_code_point(out, Map(decode_code_point(text, at)));
  return out;
}

}  // namespace

uint32_t decode_code_point(std::string_view text, size_t& at) {
  std::string_view sequence = sequence_at(text, at);
  if (sequence.empty()) return static_cast<unsigned char>(text[at++]);
  at += sequence.size();
  return assemble(sequence);
}

void append_code_point(std::string& out, uint32_t code_point) {
  auto put = [&](uint32_t byte) { out += static_cast<char>(byte); };
  if (code_point < 0x80) {
    put(code_point);
  } else if (code_point < 0x800) {
    put(0xC0 | (code_point >> 6));
    put(0x80 | (code_point & 0x3F));
  } else if (code_point < 0x10000) {
    put(0xE0 | (code_point >> 12));
    put(0x80 | ((code_point >> 6) & 0x3F));
    put(0x80 | (code_point & 0x3F));
  } else {
    put(0xF0 | (code_point >> 18));
    put(0x80 | ((code_point >> 12) & 0x3F));
    put(0x80 | ((code_point >> 6) & 0x3F));
    put(0x80 | (code_point & 0x3F));
  }
}

bool is_generalised_utf8(std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    std::string_view sequence = sequence_at(text, at);
    if (sequence.empty()) return false;
    at += sequence.size();
  }
  return true;
}

size_t utf16_length(std::string_view text) {
  size_t units = 0;
  for (char byte : text) {
    if (!is_continuation(byte)) units += static_cast<unsigned char>(byte) >= 0xF0 ? 2 : 1;
  }
  return units;
}

std::u16string to_utf16(std::string_view text) {
  std::u16string units;
  units.reserve(text.size());
  for (size_t at = 0; at < text.size();) {
    uint32_t code_point = decode_code_point(text, at);
    if (code_point < 0x10000) {
      units += static_cast<char16_t>(code_point);
    } else {
      units += static_cast<char16_t>(0xD800 + ((code_point - 0x10000) >> 10));
      units += static_cast<char16_t>(0xDC00 + ((code_point - 0x10000) & 0x3FF));
    }
  }
  return units;
}

std::string from_utf16(std::u16string_view units) {
  std::string out;
  out.reserve(units.size());
  for (size_t i = 0; i < units.size(); ++i) {
    uint32_t unit = units[i];
    if (is_high_surrogate(unit) && i + 1 < units.size() && is_low_surrogate(units[i + 1])) {
      unit = 0x10000 + ((unit - 0xD800) << 10) + (uint32_t{units[++i]} - 0xDC00);
    }
    append_code_point(out, unit);
  }
  return out;
}

bool is_ascii(std::string_view text) {
  return std::ranges::none_of(text, [](char byte) { return static_cast<unsigned char>(byte) >= 0x80; });
}

bool is_split_pair(std::string_view left, std::string_view right) {
  constexpr size_t kSurrogateBytes = 3;
  if (left.size() < kSurrogateBytes || right.size() < kSurrogateBytes) return false;
  size_t high = left.size() - kSurrogateBytes;
  size_t low = 0;
  return left[high] == '\xED' && right[0] == '\xED' && is_high_surrogate(decode_code_point(left, high)) &&
         is_low_surrogate(decode_code_point(right, low));
}

void append_quoted(std::string& out, std::string_view text) {
  out += '"';
  for (size_t at = 0; at < text.size();) {
    size_t start = at;
    uint32_t code_point = decode_code_point(text, at);
    switch (code_point) {
      case '"': out += "\\\""; break;
      case '\\': out += "\\\\"; break;
      case '\b': out += "\\b"; break;
      case '\f': out += "\\f"; break;
      case '\n': out += "\\n"; break;
      case '\r': out += "\\r"; break;
      case '\t': out += "\\t"; break;
      default:
        if (code_point < 0x20 || is_high_surrogate(code_point) || is_low_surrogate(code_point)) {
          fmt::format_to(std::back_inserter(out), "\\u{:04x}", code_point);
        } else {
          out += text.substr(start, at - start);
        }
    }
  }
  out += '"';
}

uint32_t lower_case(uint32_t code_point) { return static_cast<uint32_t>(u_tolower(static_cast<UChar32>(code_point))); }
uint32_t upper_case(uint32_t code_point) { return static_cast<uint32_t>(u_toupper(static_cast<UChar32>(code_point))); }

std::string to_lower(std::string_view text) { return map_case<lower_case>(text); }
std::string to_upper(std::string_view text) { return map_case<upper_case>(text); }

}  // namespace partita::query
