#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace partita {

// In which a text is written: how it is divided into words, which of them count, and what their stems are.
enum class Language : uint8_t { kEnglish, kFrench, kGerman, kItalian, kPortuguese, kSpanish };

// By its code, as container definitions and plans have it: "en-US". Case matters.
std::optional<Language> language_of(std::string_view code);
// A code that language_of() understands.
std::string_view code_of(Language language);
// All codes, for people: "en-US", "fr-FR", ...
std::string_view language_codes();

}  // namespace partita
