#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace partita::query {

// LikePattern: a compiled pattern of LIKE. % is any text, _ any one character, [a-f] and [^abc] one character in or not in a set;
// an escape character takes the next one as it is. A bracket that is not closed is a character. Immutable.
class LikePattern {
 public:
  // Nothing when the escape is not exactly one character.
  static std::optional<LikePattern> compile(std::string_view pattern, std::optional<std::string_view> escape);

  // Whether the whole text matches. Time is the product of the lengths at worst, so it asks now and then whether to keep going;
  // nothing when it shall not.
  std::optional<bool> matches(std::string_view text, const std::function<bool()>& keep_going) const;
  // The only text that matches, if there is only one.
  std::optional<std::string> literal() const;
  // What every text that matches begins with.
  std::string prefix() const;
  // Whether every text with that prefix matches.
  bool is_prefix() const;

 private:
  struct Element {
    enum class Kind : uint8_t { kCharacter, kAnyCharacter, kAnyText, kSet };
    Kind kind = Kind::kCharacter;
    bool is_negated = false;
    uint32_t character = 0;
    std::vector<std::pair<uint32_t, uint32_t>> ranges = {};  // inclusive
  };

  static size_t compile_set(const std::vector<uint32_t>& pattern, size_t at, Element& element);
  static bool accepts(const Element& element, uint32_t character);

  std::vector<Element> elements_;
};

}  // namespace partita::query
