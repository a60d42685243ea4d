#pragma once

#include <string>
#include <string_view>

namespace partita {

// The least byte string that is greater than every one with this prefix. REQUIRES: not all bytes 0xFF.
std::string prefix_end(std::string_view prefix);

}  // namespace partita
