#pragma once

#include "base/result.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace partita::tools {

enum class CommandName { kHelp, kUse, kShow, kFormat, kCharge, kExplain, kRanges, kWatch, kRun, kEdit, kQuit };

// What the shell knows to do besides queries.
struct CommandSpecification {
  CommandName name;
  std::string_view word;  // without its backslash
  std::string_view usage;
  std::string_view description;
};
std::span<const CommandSpecification> shell_commands();

// A command as it was typed. Words are divided by blanks, but not within JSON.
struct ShellCommand {
  CommandName name = CommandName::kHelp;
  std::vector<std::string> words;  // behind the first
  std::string key;                 // JSON: what stands behind --key, or empty
  std::string rest;                // all behind the first word, as it is
};

// `\ranges`, `use shop.orders`, `\run p [1] --key "ada"`. The message says what there is instead.
Result<ShellCommand> parse_command(std::string_view text);

// A word as JSON: itself when it is some, else as a text. 42 and ada are both understood.
std::string word_as_json(const std::string& word);

}  // namespace partita::tools
