#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace partita::tools {

// The line of a query that has the mistake, and a line that points at it with carets. `start` and `end` are bytes of the text, as
// servers give them; what lies beyond it points at its end.
std::string point_at(std::string_view text, size_t start, size_t end);

}  // namespace partita::tools
