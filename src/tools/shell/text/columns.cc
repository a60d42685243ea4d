#include "tools/shell/text/columns.h"

#include "document/json/utf8.h"

#include <unicode/uchar.h>

#include <algorithm>
#include <array>
#include <cstdint>

namespace partita::tools {
namespace {

constexpr std::string_view kEllipsis = "\xE2\x80\xA6";

struct Block {
  uint32_t first;
  uint32_t last;
};
// What terminals show in two columns: East Asian scripts, full-width forms, pictures (Unicode's EastAsianWidth.txt, W and F,
// joined to blocks).
constexpr std::array kWide = {
    Block{0x1100, 0x115F},   Block{0x2E80, 0x303E},   Block{0x3041, 0x33FF},   Block{0x3400, 0x4DBF},   Block{0x4E00, 0x9FFF},
    Block{0xA000, 0xA4CF},   Block{0xA960, 0xA97F},   Block{0xAC00, 0xD7A3},   Block{0xF900, 0xFAFF},   Block{0xFE30, 0xFE6F},
    Block{0xFF00, 0xFF60},   Block{0xFFE0, 0xFFE6},   Block{0x1F1E6, 0x1F202}, Block{0x1F300, 0x1F64F}, Block{0x1F680, 0x1F6FF},
    Block{0x1F900, 0x1FAFF}, Block{0x20000, 0x3FFFD},
};

size_t width_of(uint32_t code_point) {
  const auto character = static_cast<UChar32>(code_point);
  switch (u_charType(character)) {
    case U_NON_SPACING_MARK:
    case U_ENCLOSING_MARK:
    case U_FORMAT_CHAR: return 0;
    default: break;
  }
  return std::ranges::any_of(kWide, [=](const Block& block) { return code_point >= block.first && code_point <= block.last; })
             ? 2
             : 1;
}

}  // namespace

size_t column_count(std::string_view text) {
  size_t columns = 0;
  while (!text.empty()) {
    const CodePoint next = first_code_point(text);
    columns += width_of(next.value);
    text.remove_prefix(next.bytes);
  }
  return columns;
}

std::string cut_to(std::string_view text, size_t columns) {
  if (column_count(text) <= columns) return std::string(text);
  size_t used = 1;  // the ellipsis
  size_t end = 0;
  while (end < text.size()) {
    const CodePoint next = first_code_point(text.substr(end));
    used += width_of(next.value);
    if (used > columns) break;
    end += next.bytes;
  }
  return std::string(text.substr(0, end)).append(kEllipsis);
}

}  // namespace partita::tools
