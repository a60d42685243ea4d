#include "query/plan/like_pattern.h"

#include "query/value/text.h"

#include <algorithm>

namespace partita::query {
namespace {

std::vector<uint32_t> code_points_of(std::string_view text) {
  std::vector<uint32_t> code_points;
  code_points.reserve(text.size());
  for (size_t at = 0; at < text.size();) code_points.push_back(decode_code_point(text, at));
  return code_points;
}

}  // namespace

std::optional<LikePattern> LikePattern::compile(std::string_view pattern, std::optional<std::string_view> escape) {
  std::optional<uint32_t> escape_character;
  if (escape) {
    std::vector<uint32_t> characters = code_points_of(*escape);
    if (characters.size() != 1) return std::nullopt;
    escape_character = characters[0];
  }
  LikePattern compiled;
  std::vector<uint32_t> characters = code_points_of(pattern);
  for (size_t at = 0; at < characters.size();) {
    Element element;
    element.character = characters[at];
    if (element.character == escape_character && at + 1 < characters.size()) {
      element.character = characters[++at];
    } else if (element.character == '%') {
      element.kind = Element::Kind::kAnyText;
    } else if (element.character == '_') {
      element.kind = Element::Kind::kAnyCharacter;
    } else if (element.character == '[') {
      at = compile_set(characters, at, element);
    }
    ++at;
    bool repeats = element.kind == Element::Kind::kAnyText && !compiled.elements_.empty() &&
                   compiled.elements_.back().kind == Element::Kind::kAnyText;
    if (!repeats) compiled.elements_.push_back(std::move(element));
  }
  return compiled;
}

// Reads a set from its opening bracket; gives the position of its closing one, or `at` again when there is none.
size_t LikePattern::compile_set(const std::vector<uint32_t>& pattern, size_t at, Element& element) {
  size_t first = at + 1;
  bool is_negated = first < pattern.size() && pattern[first] == '^';
  if (is_negated) ++first;
  auto close = std::find(pattern.begin() + static_cast<ptrdiff_t>(std::min(first + 1, pattern.size())), pattern.end(), ']');
  if (close == pattern.end()) return at;
  auto end = static_cast<size_t>(close - pattern.begin());
  for (size_t i = first; i < end; ++i) {
    bool is_range = i + 2 < end && pattern[i + 1] == '-';
    element.ranges.emplace_back(pattern[i], is_range ? pattern[i + 2] : pattern[i]);
    if (is_range) i += 2;
  }
  element.kind = Element::Kind::kSet;
  element.is_negated = is_negated;
  return end;
}

bool LikePattern::accepts(const Element& element, uint32_t character) {
  switch (element.kind) {
    case Element::Kind::kCharacter: return element.character == character;
    case Element::Kind::kAnyCharacter: return true;
    case Element::Kind::kAnyText: return false;
    case Element::Kind::kSet: break;
  }
  bool is_member =
      std::ranges::any_of(element.ranges, [&](auto range) { return range.first <= character && character <= range.second; });
  return is_member != element.is_negated;
}

std::string LikePattern::prefix() const {
  std::string text;
  for (const Element& element : elements_) {
    if (element.kind != Element::Kind::kCharacter) break;
    append_code_point(text, element.character);
  }
  return text;
}

std::optional<std::string> LikePattern::literal() const {
  bool is_literal =
      std::ranges::all_of(elements_, [](const Element& element) { return element.kind == Element::Kind::kCharacter; });
  return is_literal ? std::optional(prefix()) : std::nullopt;
}

bool LikePattern::is_prefix() const {
  auto wildcard =
      std::ranges::find_if(elements_, [](const Element& element) { return element.kind != Element::Kind::kCharacter; });
  return wildcard != elements_.end() && wildcard->kind == Element::Kind::kAnyText && wildcard + 1 == elements_.end();
}

// Greedy: only the last % can ever need another try, at the next character of the text.
std::optional<bool> LikePattern::matches(std::string_view text, const std::function<bool()>& keep_going) const {
  constexpr size_t kStepsPerQuestion = 1 << 16;
  size_t steps = 0;
  size_t at = 0;
  size_t element = 0;
  std::optional<size_t> retry_element;
  size_t retry_at = 0;
  while (at < text.size()) {
    if (++steps % kStepsPerQuestion == 0 && !keep_going()) return std::nullopt;
    size_t next = at;
    uint32_t character = decode_code_point(text, next);
    if (element < elements_.size() && elements_[element].kind == Element::Kind::kAnyText) {
      retry_element = ++element;
      retry_at = at;
    } else if (element < elements_.size() && accepts(elements_[element], character)) {
      ++element;
      at = next;
    } else if (retry_element) {
      decode_code_point(text, retry_at);
      at = retry_at;
      element = *retry_element;
    } else {
      return false;
    }
  }
  while (element < elements_.size() && elements_[element].kind == Element::Kind::kAnyText) ++element;
  return element == elements_.size();
}

}  // namespace partita::query
