#pragma once

#include <cstddef>
#include <string>
#include <string_view>

// How much room text takes in a terminal, where a character has no column, one, or two. For text that has been made harmless
// (document/json/terminal_text.h).
namespace partita::tools {

size_t column_count(std::string_view text);
// As much of it as fits, and "…" where something is missing. REQUIRES: columns > 0.
std::string cut_to(std::string_view text, size_t columns);

}  // namespace partita::tools
