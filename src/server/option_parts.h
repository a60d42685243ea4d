#pragma once

#include "server/options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <map>
#include <ranges>
#include <string>

// The parts of parse_command_line().
namespace partita::server {

// One of these names, in any case, for an option of an enumeration. (CLI::CheckedTransformer shows people the numbers of
// enumerators, too.)
template <typename T>
CLI::Validator choice(const std::map<std::string, T>& values) {
  const std::string names = fmt::format("{}", fmt::join(std::views::keys(values), "|"));
  const auto replace_by_number = [values, names](std::string& input) -> std::string {
    for (const auto& [name, value] : values) {
      if (CLI::detail::to_lower(name) != CLI::detail::to_lower(input)) continue;
      input = std::to_string(static_cast<int>(value));
      return {};
    }
    return fmt::format("'{}' is none of {}", input, names);
  };
  return {replace_by_number, names};
}

// `configuration` becomes the path of the file with further options.
CLI::App& add_serve_options(CLI::App& app, ServeOptions& options, std::string& configuration);
void add_access_options(CLI::App& serve, ServeOptions& options);
// Throws CLI::ParseError.
void read_configuration(CLI::App& serve, const std::string& path);
void add_tool_options(CLI::App& app, CommandLine& line);

}  // namespace partita::server
