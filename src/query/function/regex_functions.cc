#include "query/function/groups.h"

#include <re2/re2.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

// Regular expressions by RE2: matching takes time linear in the text whatever the pattern, at the price of no back-references
// and no look-around. A pattern or modifier that RE2 does not accept makes the result undefined, and so does a pattern that is
// too large for its text.
namespace partita::query {
namespace {

constexpr size_t kCachedPatternsMax = 64;
constexpr int64_t kCompiledBytesMax = 1 << 20;
// The size of a compiled pattern times that of a text, which is the work of matching them at worst.
constexpr size_t kMatchingWorkMax = size_t{1} << 31;
// What is compiled or matched on a thread that others wait for: more may take longer than 150 us.
constexpr size_t kQuickPatternBytesMax = 64;
constexpr size_t kQuickMatchingWorkMax = size_t{1} << 17;

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

// A few bytes can stand for a large program only by counted repetition, classes of Unicode, and ranges in either case.
bool is_quick_to_compile(std::string_view pattern, std::string_view modifiers) {
  if (pattern.size() > kQuickPatternBytesMax || pattern.contains('{')) return false;
  if (pattern.contains("\\p") || pattern.contains("\\P")) return false;
  const bool ignores_case = modifiers.contains('i') || pattern.contains("(?");
  return !ignores_case || std::ranges::all_of(pattern, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

// Kept per thread: a query usually applies one pattern to many rows. Null for a pattern that is not accepted, or that takes
// longer to compile than may be.
const RE2* compiled_pattern(std::string_view pattern, std::string_view modifiers, FunctionContext& context) {
  // Whether it is kept already plays no part, so that a query has the same plan every time.
  if (!is_quick_to_compile(pattern, modifiers) && !context.may_take_long()) return nullptr;
  thread_local std::unordered_map<std::string, std::unique_ptr<RE2>> cache;
  std::string key = std::string(modifiers) + '/' + std::string(pattern);
  auto found = cache.find(key);
  if (found == cache.end()) {
    if (cache.size() >= kCachedPatternsMax) cache.clear();
    found = cache.emplace(std::move(key), compile(pattern, modifiers)).first;
  }
  return found->second.get();
}

// Of the second argument, with modifiers that are the argument at that place, if there is one.
const RE2* pattern_of(Arguments arguments, FunctionContext& context, size_t modifiers_at = 2) {
  for (const Datum& argument : arguments) {
    if (!argument.is_string()) return nullptr;
  }
  const RE2* pattern = compiled_pattern(
      arguments[1].string(), arguments.size() > modifiers_at ? arguments[modifiers_at].string() : std::string_view(), context);
  if (pattern == nullptr) return nullptr;
  const size_t text_bytes = std::max<size_t>(arguments[0].string().size(), 1);
  const auto program = static_cast<size_t>(pattern->ProgramSize());
  if (program > kMatchingWorkMax / text_bytes) return nullptr;
  return program <= kQuickMatchingWorkMax / text_bytes || context.may_take_long() ? pattern : nullptr;
}

Datum regex_match(Arguments arguments, FunctionContext& context) {
  const RE2* pattern = pattern_of(arguments, context);
  return pattern == nullptr ? Datum() : Datum::boolean(RE2::PartialMatch(piece(arguments[0].string()), *pattern));
}

// Where the character behind the one at `at` begins.
size_t behind_character(std::string_view text, size_t at) {
  ++at;
  while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) ++at;
  return at;
}

// The next match at or behind `at`: its first group if the pattern has groups, else all of it. Moves `at` behind the match.
std::optional<std::string_view> next_match(const RE2& pattern, std::string_view text, size_t& at) {
  if (at > text.size()) return std::nullopt;
  re2::StringPiece groups[2];
  int wanted = pattern.NumberOfCapturingGroups() > 0 ? 2 : 1;
  if (!pattern.Match(piece(text), at, text.size(), RE2::UNANCHORED, groups, wanted)) return std::nullopt;
  size_t end = static_cast<size_t>(groups[0].data() - text.data()) + groups[0].size();
  at = groups[0].empty() ? behind_character(text, end) : end;
  return view(groups[wanted - 1]);
}

Datum regex_extract(Arguments arguments, FunctionContext& context) {
  const RE2* pattern = pattern_of(arguments, context);
  if (pattern == nullptr) return {};
  size_t at = 0;
  auto match = next_match(*pattern, arguments[0].string(), at);
  return match ? Datum::string(*match) : Datum();
}

Datum regex_extract_all(Arguments arguments, FunctionContext& context) {
  const RE2* pattern = pattern_of(arguments, context);
  if (pattern == nullptr) return {};
  StoredWriter& out = context.writer();
  out.begin_array();
  size_t at = 0;
  while (auto match = next_match(*pattern, arguments[0].string(), at)) {
    if (!context.keep_going()) return {};
    out.string(*match);
  }
  out.end_array();
  return context.stored(out);
}

// The text with so many of its matches replaced by the third argument, in which no character is special.
Datum replace_matches(Arguments arguments, FunctionContext& context, size_t matches_max) {
  const RE2* pattern = pattern_of(arguments, context, 3);
  if (pattern == nullptr) return {};
  const std::string_view text = arguments[0].string();
  const std::string_view substitute = arguments[2].string();
  std::string out;
  size_t copied = 0;
  size_t at = 0;
  for (size_t matches = 0; matches < matches_max && at <= text.size(); ++matches) {
    re2::StringPiece match;
    if (!pattern->Match(piece(text), at, text.size(), RE2::UNANCHORED, &match, 1)) break;
    if (!context.has_room_for(out.size() + substitute.size()) || !context.keep_going()) return {};
    const auto begin = static_cast<size_t>(match.data() - text.data());
    out += text.substr(copied, begin - copied);
    out += substitute;
    copied = begin + match.size();
    at = match.empty() ? behind_character(text, copied) : copied;
  }
  out += text.substr(copied);
  return context.string(out);
}

Datum regex_replace(Arguments arguments, FunctionContext& context) { return replace_matches(arguments, context, 1); }
Datum regex_replace_all(Arguments arguments, FunctionContext& context) { return replace_matches(arguments, context, SIZE_MAX); }

constexpr Function kFunctions[] = {
    {"REGEXMATCH", 2, 3, regex_match},
    {"REGEXEXTRACT", 2, 3, regex_extract},
    {"REGEXEXTRACTALL", 2, 3, regex_extract_all},
    {"REGEXREPLACE", 3, 4, regex_replace},
    {"REGEXREPLACEALL", 3, 4, regex_replace_all},
};

}  // namespace

std::span<const Function> regex_functions() { return kFunctions; }

}  // namespace partita::query
