#include "server/options/option_parts.h"

#include <algorithm>
#include <charconv>

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
