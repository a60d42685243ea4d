#pragma once

#include <string_view>

namespace partita::cosmos::direct {

// Of direct mode, as requests and metrics say it.
inline constexpr std::string_view kWireName = "direct";

}  // namespace partita::cosmos::direct
