#include "observe/log.h"

#include <fmt/format.h>
#include <spdlog/sinks/stdout_sinks.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>

namespace partita::observe {

Status start_logging(std::string_view level) {
  constexpr std::array<std::string_view, 6> kLevels = {"trace", "debug", "info", "warn", "error", "off"};
  if (std::ranges::find(kLevels, level) == kLevels.end()) {
    return fail(ErrorCode::kInvalidInput,
                fmt::format("'{}' is not a log level; choose one of trace, debug, info, warn, error, off", level));
  }
  auto logger = std::make_shared<spdlog::logger>("partita", std::make_shared<spdlog::sinks::stderr_sink_mt>());
  logger->set_pattern("%Y-%m-%dT%H:%M:%S.%e %l %v");
  logger->set_level(spdlog::level::from_str(std::string(level)));
  spdlog::set_default_logger(std::move(logger));
  return {};
}

}  // namespace partita::observe
