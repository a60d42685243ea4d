#pragma once

#include "search/language.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace partita {

// Longer words are cut here before anything else is done with them.
inline constexpr size_t kWordBytesMax = 128;

// WordList: the words of one text in their order, as full text search compares them: in lower case, without the commonest ones
// (stop words), reduced to their stem. Immutable once made.
class WordList {
 public:
  static WordList of(std::string_view text, Language language = Language::kEnglish);

  size_t size() const { return ends_.size(); }
  // How long the text is when its relevance is judged: words that are common in any text do not count.
  size_t length() const { return length_; }
  std::string_view operator[](size_t index) const;

 private:
  std::string bytes_;
  std::vector<uint32_t> ends_;
  size_t length_ = 0;
};

// How often the words of the phrase follow each other in the text. An empty phrase occurs nowhere.
size_t count_phrase(const WordList& text, const WordList& phrase);

}  // namespace partita
