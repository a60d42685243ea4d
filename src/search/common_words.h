#pragma once

#include <string_view>

namespace partita {

// English words, in lower case.

// Found in every text: having many of them does not make a text longer when its relevance is judged.
bool is_common_word(std::string_view word);
// So common that nobody searches for them. All of them are common words.
bool is_stop_word(std::string_view word);

}  // namespace partita
