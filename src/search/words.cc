#include "search/words.h"

#include "search/common_words.h"

#include <libstemmer.h>
#include <unicode/uchar.h>
#include <unicode/utf8.h>

#include <array>
#include <memory>

namespace partita {
namespace {

// The next code point; moves `at` behind it. A byte that starts no sequence is none, and lone surrogates count as such bytes.
UChar32 next_code_point(std::string_view text, size_t& at) {
  UChar32 code_point = 0;
  auto position = static_cast<int32_t>(at);
  // NOLINTNEXTLINE(bugprone-inc-dec-in-conditions): the library's macro has its conditions in an order that is right.
  U8_NEXT(text.data(), position, static_cast<int32_t>(text.size()), code_point);
  at = static_cast<size_t>(position);
  return code_point;
}

bool is_word_character(UChar32 c) {
  if (c < 0x80) return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  return u_isalnum(c) != 0 || u_charType(c) == U_NON_SPACING_MARK || u_charType(c) == U_COMBINING_SPACING_MARK;
}

bool is_digit(UChar32 c) { return c >= '0' && c <= '9'; }

bool is_apostrophe(UChar32 c) { return c == '\'' || c == 0x2019; }

void append_utf8(std::string& out, UChar32 c) {
  std::array<char, U8_MAX_LENGTH> bytes{};
  int32_t size = 0;
  U8_APPEND_UNSAFE(bytes.data(), size, c);
  out.append(bytes.data(), static_cast<size_t>(size));
}

// What holds two parts of a word together: an apostrophe between any characters, a point or comma between digits. 0: nothing.
// In French and Italian an apostrophe stands where a word was cut off at its end, so it divides two words.
char joiner_behind(std::string_view word, UChar32 c, Language language) {
  if (word.empty()) return 0;
  if (is_apostrophe(c)) return language == Language::kFrench || language == Language::kItalian ? '\0' : '\'';
  return (c == '.' || c == ',') && is_digit(word.back()) ? static_cast<char>(c) : '\0';
}

// Reads the next word in lower case into `word`; false at the end of the text.
bool next_word(std::string_view text, Language language, size_t& at, std::string& word) {
  word.clear();
  char joiner = 0;
  while (at < text.size()) {
    const size_t before = at;
    const UChar32 c = next_code_point(text, at);
    if (is_word_character(c)) {
      if (joiner != 0 && joiner != '\'' && !is_digit(c)) {
        at = before;
        return true;
      }
      if (word.size() < kWordBytesMax) {
        if (joiner != 0) word += joiner;
        append_utf8(word, c < 0x80 ? (c >= 'A' && c <= 'Z' ? c + 32 : c) : u_tolower(c));
      }
      joiner = 0;
    } else if (joiner == 0 && joiner_behind(word, c, language) != 0) {
      joiner = joiner_behind(word, c, language);
    } else if (!word.empty()) {
      return true;
    }
  }
  return !word.empty();
}

// As the stemmer library calls it.
const char* stemmer_name(Language language) {
  switch (language) {
    case Language::kEnglish: return "english";
    case Language::kFrench: return "french";
    case Language::kGerman: return "german";
    case Language::kItalian: return "italian";
    case Language::kPortuguese: return "portuguese";
    case Language::kSpanish: return "spanish";
  }
  return nullptr;
}

struct StemmerDeleter {
  void operator()(sb_stemmer* stemmer) const { sb_stemmer_delete(stemmer); }
};

}  // namespace

WordList WordList::of(std::string_view text, Language language) {
  const std::unique_ptr<sb_stemmer, StemmerDeleter> stemmer(sb_stemmer_new(stemmer_name(language), "UTF_8"));
  WordList list;
  std::string word;
  for (size_t at = 0; next_word(text, language, at, word);) {
    if (is_stop_word(word, language)) continue;
    if (!is_common_word(word, language)) ++list.length_;
    const sb_symbol* stem =
        sb_stemmer_stem(stemmer.get(), reinterpret_cast<const sb_symbol*>(word.data()), static_cast<int>(word.size()));
    const auto size = static_cast<size_t>(sb_stemmer_length(stemmer.get()));
    list.bytes_.append(size > 0 ? std::string_view(reinterpret_cast<const char*>(stem), size) : std::string_view(word));
    list.ends_.push_back(static_cast<uint32_t>(list.bytes_.size()));
  }
  return list;
}

std::string_view WordList::operator[](size_t index) const {
  const uint32_t begin = index == 0 ? 0 : ends_[index - 1];
  return std::string_view(bytes_).substr(begin, ends_[index] - begin);
}

size_t count_phrase(const WordList& text, const WordList& phrase) {
  if (phrase.size() == 0) return 0;
  size_t count = 0;
  for (size_t start = 0; start + phrase.size() <= text.size(); ++start) {
    size_t same = 0;
    while (same < phrase.size() && text[start + same] == phrase[same]) ++same;
    count += same == phrase.size();
  }
  return count;
}

}  // namespace partita
