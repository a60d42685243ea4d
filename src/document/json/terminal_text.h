#pragma once

#include <string>
#include <string_view>

// Names, keys and messages that somebody else chose, for a terminal: whoever names a container must not move the cursor of who
// looks at a list of them, change what stands there already, or hide a part of it.
namespace partita {

// What a terminal would obey (control characters), what changes the direction of writing, and what is no character is shown as
// \u and four hexadecimal digits, as JSON writes it, or as U+FFFD. For one line.
std::string terminal_text(std::string_view text);

// The same for text of ours with such texts in it: lines and tabulators stay.
std::string terminal_lines(std::string_view text);

}  // namespace partita
