#include "tools/shell/input/shell_command.h"

#include "document/json/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

namespace partita::tools {
namespace {

constexpr std::array<CommandSpecification, 11> kCommands = {{
    {CommandName::kHelp, "help", "\\help", "this list"},
    {CommandName::kUse, "use", "use DATABASE[.CONTAINER]", "where queries go; also DATABASE/CONTAINER"},
    {CommandName::kShow, "show", "show databases|containers|container|procedures", "what there is"},
    {CommandName::kFormat, "format", "\\format table|json|lines|csv|vertical", "how rows are shown"},
    {CommandName::kCharge, "charge", "\\charge on|off", "request units and time below the rows"},
    {CommandName::kExplain, "explain", "\\explain SELECT ...", "how a query runs, and what it costs"},
    {CommandName::kRanges, "ranges", "\\ranges", "the container's physical partitions"},
    {CommandName::kWatch, "watch", "\\watch", "documents as they are written; Ctrl-C ends it"},
    {CommandName::kRun, "run", "\\run PROCEDURE [ARGUMENTS] --key KEY", "a stored procedure; arguments as JSON array"},
    {CommandName::kEdit, "edit", "\\edit ID KEY", "a document in $EDITOR; refused if it changed meanwhile"},
    {CommandName::kQuit, "quit", "\\quit", "leave; so do exit and Ctrl-D"},
}};

constexpr std::string_view kBlanks = " \t\r\n";

std::string lower(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(),
                         [](char each) { return each >= 'A' && each <= 'Z' ? static_cast<char>(each + 32) : each; });
  return out;
}

std::string_view after_blanks(std::string_view text) {
  const size_t first = text.find_first_not_of(kBlanks);
  return first == std::string_view::npos ? std::string_view() : text.substr(first);
}

// The length of the word that the text begins with: blanks end it, but not within brackets or quotes.
size_t word_length(std::string_view text) {
  size_t depth = 0;
  char quote = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char each = text[i];
    if (quote != 0) {
      if (each == '\\') ++i;
      if (each == quote) quote = 0;
    } else if (each == '"') {
      quote = each;
    } else if (each == '[' || each == '{') {
      ++depth;
    } else if ((each == ']' || each == '}') && depth > 0) {
      --depth;
    } else if (depth == 0 && kBlanks.find(each) != std::string_view::npos) {
      return i;
    }
  }
  return text.size();
}

std::optional<CommandName> name_of(std::string_view word) {
  if (word.starts_with('\\')) word.remove_prefix(1);
  const std::string name = lower(word);
  if (name == "exit" || name == "q") return CommandName::kQuit;
  if (name == "?") return CommandName::kHelp;
  for (const CommandSpecification& command : kCommands) {
    if (command.word == name) return command.name;
  }
  return std::nullopt;
}

}  // namespace

std::span<const CommandSpecification> shell_commands() { return kCommands; }

std::string word_as_json(const std::string& word) {
  if (stored_from_json(word)) return word;
  std::string out;
  append_json_string(out, word);
  return out;
}

Result<ShellCommand> parse_command(std::string_view text) {
  text = after_blanks(text);
  const std::string_view first = text.substr(0, text.find_first_of(kBlanks));
  const std::optional<CommandName> name = name_of(first);
  if (!name) return fail(ErrorCode::kInvalidInput, fmt::format("there is no command {}; \\help lists them", first));
  ShellCommand command{.name = *name, .words = {}, .key = {}, .rest = std::string(after_blanks(text.substr(first.size())))};
  for (std::string_view rest = command.rest; !rest.empty();) {
    const size_t length = word_length(rest);
    std::string word(rest.substr(0, length));
    rest = after_blanks(rest.substr(length));
    if (word != "--key") {
      command.words.push_back(std::move(word));
      continue;
    }
    const size_t key_length = word_length(rest);
    if (key_length == 0) return fail(ErrorCode::kInvalidInput, "--key needs a partition key behind it, such as \"ada\"");
    command.key = word_as_json(std::string(rest.substr(0, key_length)));
    rest = after_blanks(rest.substr(key_length));
  }
  return command;
}

}  // namespace partita::tools
