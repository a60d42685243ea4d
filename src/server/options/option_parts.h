#pragma once

#include "server/options/options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <cstdint>
#include <map>
#include <ranges>
#include <string>
#include <vector>

// The parts of parse_command_line().
namespace partita::server {

// What a validator complains of begins with the value and says what to give instead; describe_mistake() puts "invalid" and the
// option's name before it: "invalid --over 'days'; use hours, minutes or seconds".
std::string use_instead(const std::string& input, const std::string& what);
// "a, b or c"
std::string alternatives(const std::vector<std::string>& names);

// One of these names, in any case, for an option of an enumeration. (CLI::CheckedTransformer shows people the numbers of
// enumerators, too.)
template <typename T>
CLI::Validator choice(const std::map<std::string, T>& values) {
  const auto keys = std::views::keys(values);
  const std::vector<std::string> names(keys.begin(), keys.end());
  const auto replace_by_number = [values, names](std::string& input) -> std::string {
    for (const auto& [name, value] : values) {
      if (CLI::detail::to_lower(name) != CLI::detail::to_lower(input)) continue;
      input = std::to_string(static_cast<int>(value));
      return {};
    }
    return use_instead(input, alternatives(names));
  };
  return {replace_by_number, fmt::format("{}", fmt::join(names, "|"))};
}
// One of these names as it is.
CLI::Validator one_of(const std::vector<std::string>& names);
// A whole number, both limits included.
CLI::Validator between(int64_t least, int64_t most);
// A number that may have a fraction; beyond `least`, and at most `most`.
CLI::Validator share_between(double least, double most);
// A number of bytes, with a unit if wanted: 1000, 64kb, 50GB.
CLI::Validator byte_count();

// A number of megabytes, or of bytes with a unit: 512, 2GB.
CLI::Validator megabyte_count();
// A JSON text.
CLI::Validator json_text();
// A value for a parameter of a query: @name=JSON.
CLI::Validator query_parameter();

// The paths of one partition key: "/a,/b" are two; a comma within double quotes belongs to a name. Throws CLI::ValidationError
// with `option` in it.
std::vector<std::string> partition_key_paths(const std::string& option, const std::string& text);

// --endpoint, --key and --insecure of a running server.
void add_endpoint(CLI::App& command, EndpointOptions& options);
CLI::Option* add_insecure(CLI::App& command, EndpointOptions& options);
// Database and container, by position or as --database and --container.
void add_container(CLI::App& command, std::string& database, std::string& container);
// Arguments with --database and --container in front of the others, so that positions are left to what they do not name.
std::vector<std::string> named_first(int argc, const char* const* argv);

// What is wrong, in words for users.
std::string describe_mistake(const CLI::Error& error);

// `configuration` becomes the path of the file with further options.
CLI::App& add_serve_options(CLI::App& app, ServeOptions& options, std::string& configuration);
void add_access_options(CLI::App& serve, ServeOptions& options);
// Throws CLI::ParseError.
void read_configuration(CLI::App& serve, const std::string& path);
void add_tool_options(CLI::App& app, CommandLine& line);
void add_simulate_options(CLI::App& app, SimulateOptions& options);
void add_reshape_options(CLI::App& app, ReshapeOptions& options);
void add_plan_options(CLI::App& app, PlanSplitOptions& options);
void add_shell_options(CLI::App& app, ShellCommandOptions& options);
// Of commands that work on a directory or on a running server: which, when the command line leaves that to the environment.
// Throws CLI::ParseError.
void settle_places(const CLI::App& app, CommandLine& line);
void add_advise_options(CLI::App& app, AdviseOptions& options);
void add_transfer_options(CLI::App& app, CommandLine& line);
void add_bench_options(CLI::App& app, BenchOptions& options);

}  // namespace partita::server
