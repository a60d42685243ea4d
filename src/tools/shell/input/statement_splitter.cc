#include "tools/shell/input/statement_splitter.h"

#include <algorithm>
#include <array>

namespace partita::tools {
namespace {

constexpr std::array<std::string_view, 5> kCommandWords = {"use", "show", "help", "exit", "quit"};

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

bool equals_word(std::string_view text, std::string_view lower) {
  return std::ranges::equal(text, lower, [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a + 32 : a) == b; });
}

}  // namespace

bool is_command(std::string_view line) {
  line = trimmed(line);
  if (line.starts_with('\\')) return true;
  const std::string_view word = line.substr(0, line.find_first_of(" \t;"));
  return std::ranges::any_of(kCommandWords, [&](std::string_view each) { return equals_word(word, each); });
}

std::vector<Statement> StatementSplitter::add_line(std::string_view line) {
  std::vector<Statement> out;
  is_too_long_ = false;
  if (!is_open() && is_command(line)) {
    std::string_view command = trimmed(line);
    while (command.ends_with(';')) command = trimmed(command.substr(0, command.size() - 1));
    out.push_back({Statement::Kind::kCommand, std::string(command)});
    return out;
  }
  for (size_t i = 0; i < line.size(); ++i) {
    const char each = line[i];
    if (quote_ == 0 && each == ';') {
      take_query(out);
      continue;
    }
    if (quote_ == 0 && each == '-' && i + 1 < line.size() && line[i + 1] == '-') {
      pending_ += line.substr(i);
      break;
    }
    pending_ += each;
    if (quote_ != 0 && each == '\\' && i + 1 < line.size()) {
      pending_ += line[++i];
    } else if (quote_ == 0 && (each == '\'' || each == '"')) {
      quote_ = each;
    } else if (each == quote_) {
      quote_ = 0;
    }
  }
  if (trimmed(pending_).empty()) {
    pending_.clear();
  } else {
    pending_ += '\n';
  }
  if (pending_.size() > kStatementBytesMax) {
    forget();
    is_too_long_ = true;
  }
  return out;
}

std::vector<Statement> StatementSplitter::finish() {
  std::vector<Statement> out;
  take_query(out);
  forget();
  return out;
}

void StatementSplitter::forget() {
  pending_.clear();
  quote_ = 0;
}

void StatementSplitter::take_query(std::vector<Statement>& out) {
  const std::string_view text = trimmed(pending_);
  if (!text.empty()) out.push_back({Statement::Kind::kQuery, std::string(text)});
  pending_.clear();
}

}  // namespace partita::tools
