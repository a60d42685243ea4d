#include "query/function/groups.h"

#include <re2/re2.h>

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

// Regular expressions by RE2: matching takes time linear in the text whatever the pattern, at the price of no back-references
// and no look-around. A pattern or modifier that RE2 does not accept makes the result undefined.
namespace partita::query {
namespace {

constexpr size_t kCachedPatternsMax = 64;
constexpr int64_t kCompiledBytesMax = 4 << 20;

re2::StringPiece piece(std::string_view text) { return {text.data(), text.size()}; }
std::string_view view(const re2::StringPiece& text) { return {text.data(), text.size()}; }

// The pattern without the blanks and comments that modifier x allows, except in classes and behind a backslash.
std::string without_blanks(std::string_view pattern) {
  std::string out;
  bool is_in_class = false;
  for (size_t i = 0; i < pattern.size(); ++i) {
    char c = pattern[i];
    if (c == '\\' && i + 1 < pattern.size()) {
      out += c;
      out += pattern[++i];
      continue;
    }
    if (c == '[') is_in_class = true;
    if (c == ']') is_in_class = false;
    if (!is_in_class && c == '#') {
      i = std::min(pattern.find('\n', i), pattern.size());
    } else if (is_in_class || !std::string_view(" \t\r\n\f\v").contains(c)) {
      out += c;
    }
  }
  return out;
}

std::unique_ptr<RE2> compile(std::string_view pattern, std::string_view modifiers) {
  std::string flags;
  bool ignores_blanks = false;
  for (char modifier : modifiers) {
    if (modifier == 'x') {
      ignores_blanks = true;
    } else if (modifier == 'i' || modifier == 'm' || modifier == 's') {
      flags += modifier;
    } else {
      return nullptr;
    }
  }
  std::string text = ignores_blanks ? without_blanks(pattern) : std::string(pattern);
  if (!flags.empty()) text = "(?" + flags + ")" + text;
  RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(kCompiledBytesMax);
  auto compiled = std::make_unique<RE2>(text, options);
  return compiled->ok() ? std::move(compiled) : nullptr;
}

// Kept per thread: a query usually applies one pattern to many rows. Null for a pattern that is not accepted.
const RE2* compiled_pattern(std::string_view pattern, std::string_view modifiers) {
  thread_local std::unordered_map<std::string, std::unique_ptr<RE2>> cache;
  std::string key = std::string(modifiers) + '/' + std::string(pattern);
  auto found = cache.find(key);
  if (found == cache.end()) {
    if (cache.size() >= kCachedPatternsMax) cache.clear();
    found = cache.emplace(std::move(key), compile(pattern, modifiers)).first;
  }
  return found->second.get();
}

const RE2* pattern_of(Arguments arguments) {
  for (const Datum& argument : arguments) {
    if (!argument.is_string()) return nullptr;
  }
  return compiled_pattern(arguments[1].string(), arguments.size() == 3 ? arguments[2].string() : std::string_view());
}

Datum regex_match(Arguments arguments, FunctionContext&) {
  const RE2* pattern = pattern_of(arguments);
  return pattern == nullptr ? Datum() : Datum::boolean(RE2::PartialMatch(piece(arguments[0].string()), *pattern));
}

// The next match at or behind `at`: its first group if the pattern has groups, else all of it. Moves `at` behind the match.
std::optional<std::string_view> next_match(const RE2& pattern, std::string_view text, size_t& at) {
  if (at > text.size()) return std::nullopt;
  re2::StringPiece groups[2];
  int wanted = pattern.NumberOfCapturingGroups() > 0 ? 2 : 1;
  if (!pattern.Match(piece(text), at, text.size(), RE2::UNANCHORED, groups, wanted)) return std::nullopt;
  size_t end = static_cast<size_t>(groups[0].data() - text.data()) + groups[0].size();
  at = groups[0].empty() ? end + 1 : end;
  while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) ++at;  // whole characters
  return view(groups[wanted - 1]);
}

Datum regex_extract(Arguments arguments, FunctionContext&) {
  const RE2* pattern = pattern_of(arguments);
  if (pattern == nullptr) return {};
  size_t at = 0;
  auto match = next_match(*pattern, arguments[0].string(), at);
  return match ? Datum::string(*match) : Datum();
}

Datum regex_extract_all(Arguments arguments, FunctionContext& context) {
  const RE2* pattern = pattern_of(arguments);
  if (pattern == nullptr) return {};
  StoredWriter& out = context.writer();
  out.begin_array();
  size_t at = 0;
  while (auto match = next_match(*pattern, arguments[0].string(), at)) out.string(*match);
  out.end_array();
  return context.stored(out);
}

constexpr Function kFunctions[] = {
    {"REGEXMATCH", 2, 3, regex_match},
    {"REGEXEXTRACT", 2, 3, regex_extract},
    {"REGEXEXTRACTALL", 2, 3, regex_extract_all},
};

}  // namespace

std::span<const Function> regex_functions() { return kFunctions; }

}  // namespace partita::query
