#include "document/json/json_string.h"

#include "document/json/utf8.h"

#include <charconv>
#include <optional>

namespace partita {

namespace {

constexpr size_t kUnicodeEscapeBytes = 6;  // \uXXXX

// The unit of the \uXXXX at the beginning of the text.
std::optional<uint32_t> unicode_escape(std::string_view text) {
  if (text.size() < kUnicodeEscapeBytes || text[0] != '\\' || text[1] != 'u') return std::nullopt;
  uint32_t unit = 0;
  const char* first = text.data() + 2;
  const auto [end, error] = std::from_chars(first, first + 4, unit, 16);
  if (error != std::errc() || end != first + 4) return std::nullopt;
  return unit;
}

char simple_escape(char letter) {
  switch (letter) {
    case '"':
    case '\\':
    case '/': return letter;
    case 'b': return '\b';
    case 'f': return '\f';
    case 'n': return '\n';
    case 'r': return '\r';
    case 't': return '\t';
    default: return '\0';
  }
}

// Appends the escape at the beginning of the text; its length, or 0 when it is not one.
size_t append_escape(std::string& out, std::string_view text) {
  if (text.size() < 2) return 0;
  if (const char simple = simple_escape(text[1]); simple != '\0') {
    out += simple;
    return 2;
  }
  const auto unit = unicode_escape(text);
  if (!unit) return 0;
  if (is_high_surrogate(*unit)) {
    const auto low = unicode_escape(text.substr(kUnicodeEscapeBytes));
    if (low && is_low_surrogate(*low)) {
      append_code_point(out, 0x10000 + ((*unit - 0xD800) << 10) + (*low - 0xDC00));
      return 2 * kUnicodeEscapeBytes;
    }
  }
  append_code_point(out, *unit);
  return kUnicodeEscapeBytes;
}

}  // namespace

size_t append_unescaped(std::string& out, std::string_view escaped) {
  for (size_t at = 0;;) {
    const size_t backslash = escaped.find('\\', at);
    out.append(escaped.substr(at, backslash - at));
    if (backslash == std::string_view::npos) return std::string_view::npos;
    const size_t bytes = append_escape(out, escaped.substr(backslash));
    if (bytes == 0) return backslash;
    at = backslash + bytes;
  }
}

}  // namespace partita
