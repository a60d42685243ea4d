#include "search/words.h"

#include "base/check.h"

#include <cstddef>
#include <cstdint>

// Any bytes have words in every language, and every word of a text is in it as a phrase.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  using namespace partita;
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  for (const Language language : {Language::kEnglish, Language::kFrench, Language::kGerman, Language::kItalian,
                                  Language::kPortuguese, Language::kSpanish}) {
    const WordList words = WordList::of(text, language);
    if (words.size() > 0) CHECK(count_phrase(words, words) == 1);
    for (size_t i = 0; i < words.size(); ++i) CHECK(!words[i].empty());
  }
  return 0;
}
