#include "tools/shell/text/fault_text.h"

#include "document/json/terminal_text.h"
#include "tools/shell/text/columns.h"

#include <algorithm>

namespace partita::tools {

std::string point_at(std::string_view text, size_t start, size_t end) {
  start = std::min(start, text.size());
  end = std::clamp(end, start, text.size());
  const size_t line_break = start == 0 ? std::string_view::npos : text.rfind('\n', start - 1);
  const size_t line_start = line_break == std::string_view::npos ? 0 : line_break + 1;
  const size_t line_end = std::min(text.find('\n', start), text.size());
  const std::string before = terminal_text(text.substr(line_start, start - line_start));
  const std::string marked = terminal_text(text.substr(start, std::min(end, line_end) - start));
  const std::string behind = terminal_text(text.substr(std::min(end, line_end), line_end - std::min(end, line_end)));
  const size_t carets = std::max<size_t>(column_count(marked), 1);
  return "  " + before + marked + behind + "\n  " + std::string(column_count(before), ' ') + std::string(carets, '^') + "\n";
}

}  // namespace partita::tools
