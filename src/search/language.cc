#include "search/language.h"

#include <algorithm>
#include <array>

namespace partita {
namespace {

struct Code {
  std::string_view text;
  Language language;
};

// The first code of a language is the one that it is written with.
constexpr std::array<Code, 8> kCodes = {{
    {"en-US", Language::kEnglish},
    {"fr-FR", Language::kFrench},
    {"de-DE", Language::kGerman},
    {"it-IT", Language::kItalian},
    {"pt-BR", Language::kPortuguese},
    {"pt-PT", Language::kPortuguese},
    {"es-ES", Language::kSpanish},
    {"1033", Language::kEnglish},  // the number that Windows has for it
}};

}  // namespace

std::optional<Language> language_of(std::string_view code) {
  const auto found = std::ranges::find(kCodes, code, &Code::text);
  return found == kCodes.end() ? std::nullopt : std::optional(found->language);
}

std::string_view code_of(Language language) { return std::ranges::find(kCodes, language, &Code::language)->text; }

std::string_view language_codes() { return R"("en-US", "fr-FR", "de-DE", "it-IT", "pt-BR", "pt-PT", "es-ES")"; }

}  // namespace partita
