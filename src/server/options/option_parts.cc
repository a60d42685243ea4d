#include "server/options/option_parts.h"

#include "document/json/json.h"
#include "document/key/partition_key.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>

namespace partita::server {

std::string use_instead(const std::string& input, const std::string& what) { return fmt::format("'{}'; use {}", input, what); }

std::string alternatives(const std::vector<std::string>& names) {
  if (names.size() < 2) return fmt::format("{}", fmt::join(names, ""));
  return fmt::format("{} or {}", fmt::join(names.begin(), names.end() - 1, ", "), names.back());
}

CLI::Validator one_of(const std::vector<std::string>& names) {
  const auto check = [names](std::string& input) -> std::string {
    return std::ranges::find(names, input) != names.end() ? "" : use_instead(input, alternatives(names));
  };
  return {check, fmt::format("{}", fmt::join(names, "|"))};
}

CLI::Validator between(int64_t least, int64_t most) {
  const auto check = [least, most](std::string& input) -> std::string {
    int64_t number = 0;
    const char* end = input.data() + input.size();
    const auto [stop, problem] = std::from_chars(input.data(), end, number);
    if (problem == std::errc() && stop == end && number >= least && number <= most) return {};
    return use_instead(input, fmt::format("a number from {} to {}", least, most));
  };
  return {check, fmt::format("{}..{}", least, most)};
}

CLI::Validator share_between(double least, double most) {
  const auto check = [least, most](std::string& input) -> std::string {
    double number = 0;
    const char* end = input.data() + input.size();
    const auto [stop, problem] = std::from_chars(input.data(), end, number);
    if (problem == std::errc() && stop == end && number > least && number <= most) return {};
    return use_instead(input, fmt::format("a number above {}, at most {}", least, most));
  };
  return {check, "NUMBER"};
}

CLI::Validator byte_count() {
  const auto replace_by_number = [](std::string& input) -> std::string {
    const std::string given = input;
    bool is_number = false;
    try {
      is_number = CLI::AsSizeValue(false)(input).empty();
    } catch (const CLI::Error&) {
      is_number = false;  // What the library says of it is for programmers.
    }
    if (is_number) return {};
    return use_instead(given, "a number of bytes such as 64kb or 50GB");
  };
  return {replace_by_number, "BYTES"};
}

CLI::Validator megabyte_count() {
  constexpr uint64_t kMegabyte = 1 << 20;
  const auto replace_by_number = [](std::string& input) -> std::string {
    if (input.empty() || std::ranges::all_of(input, [](char each) { return each >= '0' && each <= '9'; })) return {};
    const std::string given = input;
    const std::string mistake = byte_count()(input);
    if (!mistake.empty()) return use_instead(given, "a number of megabytes, or of bytes such as 512MB or 2GiB");
    input = std::to_string(std::strtoull(input.c_str(), nullptr, 10) / kMegabyte);
    return {};
  };
  return {replace_by_number, "MB"};
}

CLI::Validator json_text() {
  const auto check = [](std::string& input) -> std::string {
    StoredWriter ignored;
    const Status read = read_json(input, ignored);
    return read ? "" : use_instead(input, fmt::format("JSON, in which texts have double quotes ({})", read.error().message));
  };
  return {check, "JSON"};
}

CLI::Validator query_parameter() {
  const auto check = [](std::string& input) -> std::string {
    const size_t equals = input.find('=');
    StoredWriter ignored;
    const bool is_named = input.starts_with('@') && equals != std::string::npos;
    if (is_named && read_json(std::string_view(input).substr(equals + 1), ignored)) return {};
    return use_instead(input, "@name=JSON, such as '@city=\"Oslo\"'");
  };
  return {check, "@NAME=JSON"};
}

std::vector<std::string> partition_key_paths(const std::string& option, const std::string& text) {
  std::vector<std::string> paths(1);
  bool is_quoted = false;
  for (const char each : text) {
    if (each == '"') is_quoted = !is_quoted;
    if (each == ',' && !is_quoted) {
      paths.emplace_back();
    } else {
      paths.back() += each;
    }
  }
  if (paths.size() > kPartitionKeyPathsMax) {
    throw CLI::ValidationError(option, use_instead(text, fmt::format("at most {} paths", kPartitionKeyPathsMax)));
  }
  for (const std::string& path : paths) {
    if (const Result<DocumentPath> parsed = DocumentPath::parse(path); !parsed) {
      throw CLI::ValidationError(
          option, use_instead(text, fmt::format("a path such as /tenant, or /tenant,/user ({})", parsed.error().message)));
    }
  }
  return paths;
}

void add_endpoint(CLI::App& command, EndpointOptions& options) {
  command.add_option("--endpoint", options.endpoint, "Address of the server, http:// or https://")
      ->envname("PARTITA_ENDPOINT")
      ->capture_default_str();
  command
      .add_option("--key", options.key, "Account key; a read-only key is enough to read. Default: the emulator's well-known key")
      ->envname("PARTITA_KEY");
  add_insecure(command, options);
}

CLI::Option* add_insecure(CLI::App& command, EndpointOptions& options) {
  return command.add_flag("--insecure", options.is_insecure, "Accept any certificate of an https server");
}

void add_container(CLI::App& command, std::string& database, std::string& container) {
  command.add_option("--database,database", database, "Id of the database")->required();
  command.add_option("--container,container", container, "Id of the container")->required();
}

std::vector<std::string> named_first(int argc, const char* const* argv) {
  std::vector<std::string> arguments(argv + 1, argv + argc);
  // What has been found goes behind the name of the command.
  size_t found = 1;
  for (size_t i = 1; i < arguments.size() && arguments[i] != "--"; ++i) {
    const bool has_value_behind = arguments[i] == "--database" || arguments[i] == "--container";
    if (!has_value_behind && !arguments[i].starts_with("--database=") && !arguments[i].starts_with("--container=")) continue;
    const size_t end = i + (has_value_behind ? 2 : 1);
    if (end > arguments.size()) break;  // The value is missing, which the parser says better.
    const auto begin = arguments.begin();
    std::rotate(begin + static_cast<ptrdiff_t>(found), begin + static_cast<ptrdiff_t>(i), begin + static_cast<ptrdiff_t>(end));
    found += end - i;
    i = end - 1;
  }
  return arguments;
}

// The library says "--port: 'x'; use ...", "Could not convert: --lines = x" and "file was not readable (missing?)".
std::string describe_mistake(const CLI::Error& error) {
  constexpr std::string_view kNotConverted = "Could not convert: ";
  const std::string text = error.what();
  const bool is_invalid = error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ValidationError);
  if (const size_t colon = text.find(": "); is_invalid && colon != std::string::npos) {
    return fmt::format("invalid {} {}", text.substr(0, colon), text.substr(colon + 2));
  }
  if (const size_t equals = text.find(" = "); text.starts_with(kNotConverted) && equals != std::string::npos) {
    return fmt::format("invalid {} '{}'", text.substr(kNotConverted.size(), equals - kNotConverted.size()),
                       text.substr(equals + 3));
  }
  if (const size_t path_end = text.rfind(" was not readable"); path_end != std::string::npos) {
    return fmt::format("cannot read {}", text.substr(0, path_end));
  }
  return text;
}

}  // namespace partita::server
