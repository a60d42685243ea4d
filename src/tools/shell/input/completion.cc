#include "tools/shell/input/completion.h"

#include "query/function/function_list.h"
#include "tools/shell/input/shell_command.h"
#include "tools/shell/input/statement_splitter.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

namespace partita::tools {
namespace {

constexpr std::array<std::string_view, 29> kKeywords = {
    "SELECT",   "VALUE",  "DISTINCT", "TOP", "FROM",  "WHERE", "JOIN",  "IN",   "AS",       "ORDER BY",
    "GROUP BY", "OFFSET", "LIMIT",    "ASC", "DESC",  "AND",   "OR",    "NOT",  "LIKE",     "ESCAPE",
    "BETWEEN",  "EXISTS", "ARRAY",    "ALL", "FIRST", "true",  "false", "null", "undefined"};
constexpr std::array<std::string_view, 4> kShown = {"databases", "containers", "container", "procedures"};
constexpr std::array<std::string_view, 5> kFormats = {"table", "json", "lines", "csv", "vertical"};

bool is_name(std::string_view text) {
  const auto is_inner = [](char each) { return std::isalnum(static_cast<unsigned char>(each)) != 0 || each == '_'; };
  return !text.empty() && std::isdigit(static_cast<unsigned char>(text.front())) == 0 && std::ranges::all_of(text, is_inner);
}

bool starts_with_word(std::string_view text, std::string_view prefix) {
  const auto upper = [](char each) { return std::toupper(static_cast<unsigned char>(each)); };
  return text.size() >= prefix.size() && std::ranges::equal(text.substr(0, prefix.size()), prefix, {}, upper, upper);
}

template <typename Words>
void add_matching(std::vector<std::string>& out, const Words& words, std::string_view prefix, std::string_view ending = "") {
  for (const auto& word : words) {
    if (starts_with_word(word, prefix)) out.push_back(std::string(word).append(ending));
  }
}

std::vector<std::string> split(std::string_view text, char at) {
  std::vector<std::string> parts;
  while (true) {
    const size_t end = text.find(at);
    parts.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

// A path behind an alias: whatever it is called, it is the document; c.items[0].na is completed as c.items.na.
Completion complete_path(std::string_view word, size_t start, const PathTree& paths) {
  Completion out{.start = start, .words = {}};
  const size_t last_dot = word.rfind('.');
  std::vector<std::string> steps = split(word.substr(0, last_dot), '.');
  steps.erase(steps.begin());
  for (std::string& step : steps) step = step.substr(0, step.find('['));
  for (const std::string& name : paths.names_below(steps, word.substr(last_dot + 1))) {
    out.words.push_back(std::string(word.substr(0, last_dot + 1)) + name);
  }
  return out;
}

Completion complete_command(std::string_view line, std::string_view word, size_t start, const Vocabulary& vocabulary) {
  Completion out{.start = start, .words = {}};
  const Result<ShellCommand> command = parse_command(line);
  if (!command) return out;
  switch (command->name) {
    case CommandName::kUse: add_matching(out.words, vocabulary.places, word); break;
    case CommandName::kShow: add_matching(out.words, kShown, word); break;
    case CommandName::kFormat: add_matching(out.words, kFormats, word); break;
    case CommandName::kCharge: add_matching(out.words, std::array<std::string_view, 2>{"on", "off"}, word); break;
    case CommandName::kRun: add_matching(out.words, vocabulary.procedures, word); break;
    default: break;
  }
  return out;
}

size_t word_start(std::string_view line) {
  const size_t blank = line.find_last_of(" \t\n(),=<>+*/;'\"");
  return blank == std::string_view::npos ? 0 : blank + 1;
}

}  // namespace

PathTree::Node* PathTree::child(Node& node, std::string_view name) {
  if (const auto found = node.children.find(name); found != node.children.end()) return &found->second;
  if (names_ >= kNamesMax || !is_name(name)) return nullptr;
  ++names_;
  return &node.children[std::string(name)];
}

void PathTree::add_document(const Value& document) { add(root_, document, 0); }

void PathTree::add(Node& node, const Value& value, size_t depth) {
  constexpr size_t kElementsMax = 5;
  if (depth >= kDepthMax) return;
  if (value.is_array()) {
    for (size_t i = 0; i < std::min(value.size(), kElementsMax); ++i) add(node, value.element(i), depth + 1);
  }
  if (!value.is_object()) return;
  for (size_t i = 0; i < value.size(); ++i) {
    const auto [name, member] = value.member(i);
    if (Node* below = child(node, name)) add(*below, member, depth + 1);
  }
}

void PathTree::add_path(std::string_view path) {
  Node* node = &root_;
  size_t depth = 0;
  for (const std::string& step : split(path, '/')) {
    if (step.empty() || step == "[]") continue;
    node = depth++ < kDepthMax ? child(*node, step) : nullptr;
    if (node == nullptr) return;
  }
}

std::vector<std::string> PathTree::names_below(const std::vector<std::string>& steps, std::string_view prefix) const {
  const Node* node = &root_;
  for (const std::string& step : steps) {
    const auto found = node->children.find(step);
    if (found == node->children.end()) return {};
    node = &found->second;
  }
  std::vector<std::string> names;
  for (const auto& [name, below] : node->children) {
    if (starts_with_word(name, prefix)) names.push_back(name);
  }
  return names;
}

Completion complete(std::string_view line, const Vocabulary& vocabulary) {
  const size_t start = word_start(line);
  const std::string_view word = line.substr(start);
  const bool is_first = line.substr(0, start).find_first_not_of(" \t") == std::string_view::npos;
  if (is_first && word.starts_with('\\')) {
    Completion out{.start = start, .words = {}};
    for (const CommandSpecification& command : shell_commands()) {
      if (starts_with_word(command.word, word.substr(1))) out.words.push_back(fmt::format("\\{}", command.word));
    }
    return out;
  }
  const bool is_explained = line.starts_with("\\explain");
  if (!is_first && is_command(line) && !is_explained) return complete_command(line, word, start, vocabulary);
  if (word.find('.') != std::string_view::npos) return complete_path(word, start, vocabulary.paths);
  Completion out{.start = start, .words = {}};
  if (word.empty() && !is_first) return out;
  add_matching(out.words, kKeywords, word);
  if (is_first) add_matching(out.words, std::array<std::string_view, 4>{"use", "show", "help", "exit"}, word);
  if (!word.empty()) {
    for (const query::Function* function : query::all_functions()) {
      if (starts_with_word(function->name, word)) out.words.push_back(fmt::format("{}(", function->name));
    }
  }
  return out;
}

std::string signature_at(std::string_view line) {
  size_t depth = 0;
  for (size_t i = line.size(); i-- > 0;) {
    if (line[i] == ')') ++depth;
    if (line[i] != '(') continue;
    if (depth-- > 0) continue;
    const size_t start = word_start(line.substr(0, i));
    const query::Function* function = query::find_function(line.substr(start, i - start));
    return function == nullptr ? std::string() : query::signature(*function);
  }
  return {};
}

}  // namespace partita::tools
