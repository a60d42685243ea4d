#pragma once

#include "base/result.h"

#include <string_view>

#include <spdlog/spdlog.h>

// Logging: one line per event to standard error, through spdlog's default logger: spdlog::info("...", ...).
namespace partita::observe {

// trace, debug, info, warn, error or off. kInvalidInput for anything else.
Status start_logging(std::string_view level);

}  // namespace partita::observe
