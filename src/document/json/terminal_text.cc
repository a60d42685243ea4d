#include "document/json/terminal_text.h"

#include "document/json/utf8.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace partita {
namespace {

struct CodePoints {
  uint32_t first;
  uint32_t last;
};
constexpr std::array kActive = {
    CodePoints{0x00, 0x1F},     CodePoints{0x7F, 0x9F},      // control characters
    CodePoints{0x061C, 0x061C}, CodePoints{0x200E, 0x200F},  // marks of direction
    CodePoints{0x2028, 0x202E},                              // ends of lines and paragraphs, embeddings and overrides
    CodePoints{0x2066, 0x2069},                              // isolates
    CodePoints{0xD800, 0xDFFF},                              // surrogates, which are no characters
};

bool is_active(uint32_t code_point) {
  return std::ranges::any_of(
      kActive, [code_point](const CodePoints& range) { return code_point >= range.first && code_point <= range.last; });
}

std::string shown(std::string_view text, std::string_view kept) {
  const std::string sound = repaired_utf8(text);
  std::string out;
  for (std::string_view rest = sound; !rest.empty();) {
    const CodePoint next = first_code_point(rest);
    if (is_active(next.value) && !kept.contains(rest.front())) {
      out += fmt::format("\\u{:04x}", next.value);
    } else {
      out += rest.substr(0, next.bytes);
    }
    rest.remove_prefix(next.bytes);
  }
  return out;
}

}  // namespace

std::string terminal_text(std::string_view text) { return shown(text, ""); }

std::string terminal_lines(std::string_view text) { return shown(text, "\n\t"); }

}  // namespace partita
