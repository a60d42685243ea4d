#pragma once

#include "search/language.h"

#include <string_view>

namespace partita {

// Words in lower case.

// Found in every text: having many of them does not make a text longer when its relevance is judged.
bool is_common_word(std::string_view word, Language language);
// So common that nobody searches for them. All of them are common words.
bool is_stop_word(std::string_view word, Language language);

}  // namespace partita
