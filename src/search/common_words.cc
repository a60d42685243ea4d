#include "search/common_words.h"

#include <algorithm>
#include <array>
#include <span>

namespace partita {
namespace {

// English: C. Fox, "A stop list for general text", 1990.
constexpr auto kCommonWords = std::to_array<std::string_view>(
    {"a",          "about",      "above",       "across",    "after",    "again",    "against",   "all",       "almost",
     "alone",      "along",      "already",     "also",      "although", "always",   "among",     "an",        "and",
     "another",    "any",        "anybody",     "anyone",    "anything", "anywhere", "are",       "area",      "areas",
     "around",     "as",         "ask",         "asked",     "asking",   "asks",     "at",        "away",      "b",
     "back",       "backed",     "backing",     "backs",     "be",       "became",   "because",   "become",    "becomes",
     "been",       "before",     "began",       "behind",    "being",    "beings",   "best",      "better",    "between",
     "big",        "both",       "but",         "by",        "c",        "came",     "can",       "cannot",    "case",
     "cases",      "certain",    "certainly",   "clear",     "clearly",  "come",     "could",     "d",         "did",
     "differ",     "different",  "differently", "do",        "does",     "done",     "down",      "downed",    "downing",
     "downs",      "during",     "e",           "each",      "early",    "either",   "end",       "ended",     "ending",
     "ends",       "enough",     "even",        "evenly",    "ever",     "every",    "everybody", "everyone",  "everything",
     "everywhere", "f",          "face",        "faces",     "fact",     "facts",    "far",       "felt",      "few",
     "find",       "finds",      "first",       "for",       "four",     "from",     "full",      "fully",     "further",
     "furthered",  "furthering", "furthers",    "g",         "gave",     "general",  "generally", "get",       "gets",
     "give",       "given",      "gives",       "go",        "going",    "good",     "goods",     "got",       "great",
     "greater",    "greatest",   "group",       "grouped",   "grouping", "groups",   "h",         "had",       "has",
     "have",       "having",     "he",          "her",       "here",     "herself",  "high",      "higher",    "highest",
     "him",        "himself",    "his",         "how",       "however",  "i",        "if",        "important", "in",
     "interest",   "interested", "interesting", "interests", "into",     "is",       "it",        "its",       "itself",
     "j",          "just",       "k",           "keep",      "keeps",    "kind",     "knew",      "know",      "known",
     "knows",      "l",          "large",       "largely",   "last",     "later",    "latest",    "least",     "less",
     "let",        "lets",       "like",        "likely",    "long",     "longer",   "longest",   "m",         "made",
     "make",       "making",     "man",         "many",      "may",      "me",       "member",    "members",   "men",
     "might",      "more",       "most",        "mostly",    "mr",       "mrs",      "much",      "must",      "my",
     "myself",     "n",          "necessary",   "need",      "needed",   "needing",  "needs",     "never",     "new",
     "newer",      "newest",     "next",        "no",        "nobody",   "non",      "noone",     "not",       "nothing",
     "now",        "nowhere",    "number",      "numbers",   "o",        "of",       "off",       "often",     "old",
     "older",      "oldest",     "on",          "once",      "one",      "only",     "open",      "opened",    "opening",
     "opens",      "or",         "order",       "ordered",   "ordering", "orders",   "other",     "others",    "our",
     "out",        "over",       "p",           "part",      "parted",   "parting",  "parts",     "per",       "perhaps",
     "place",      "places",     "point",       "pointed",   "pointing", "points",   "possible",  "present",   "presented",
     "presenting", "presents",   "problem",     "problems",  "put",      "puts",     "q",         "quite",     "r",
     "rather",     "really",     "right",       "room",      "rooms",    "s",        "said",      "same",      "saw",
     "say",        "says",       "second",      "seconds",   "see",      "seem",     "seemed",    "seeming",   "seems",
     "sees",       "several",    "shall",       "she",       "should",   "show",     "showed",    "showing",   "shows",
     "side",       "sides",      "since",       "small",     "smaller",  "smallest", "so",        "some",      "somebody",
     "someone",    "something",  "somewhere",   "state",     "states",   "still",    "such",      "sure",      "t",
     "take",       "taken",      "than",        "that",      "the",      "their",    "them",      "then",      "there",
     "therefore",  "these",      "they",        "thing",     "things",   "think",    "thinks",    "this",      "those",
     "though",     "thought",    "thoughts",    "three",     "through",  "thus",     "to",        "today",     "together",
     "too",        "took",       "toward",      "turn",      "turned",   "turning",  "turns",     "two",       "u",
     "under",      "until",      "up",          "upon",      "us",       "use",      "used",      "uses",      "v",
     "very",       "w",          "want",        "wanted",    "wanting",  "wants",    "was",       "way",       "ways",
     "we",         "well",       "wells",       "went",      "were",     "what",     "when",      "where",     "whether",
     "which",      "while",      "who",         "whole",     "whose",    "why",      "will",      "with",      "within",
     "without",    "work",       "worked",      "working",   "works",    "would",    "x",         "y",         "year",
     "years",      "yet",        "you",         "young",     "younger",  "youngest", "your",      "yours",     "z"});
static_assert(std::ranges::is_sorted(kCommonWords));

// Of these, those that mean nothing by themselves.
constexpr auto kStopWords =
    std::to_array<std::string_view>({"a",   "an",    "and",  "are",   "as",    "at",   "be",   "but", "by",  "for",  "if",
                                     "in",  "into",  "is",   "it",    "no",    "not",  "of",   "on",  "or",  "such", "that",
                                     "the", "their", "then", "there", "these", "they", "this", "to",  "was", "will", "with"});
static_assert(std::ranges::is_sorted(kStopWords));

// Articles, pronouns, prepositions, conjunctions and auxiliary verbs. What an apostrophe cuts off is among them where it does.
constexpr auto kFrenchWords = std::to_array<std::string_view>(
    {"a",   "ai",  "as", "au",   "aux",   "avec", "c",     "ce",   "ces",  "cet", "cette", "ceux", "d",    "dans",
     "de",  "des", "du", "elle", "elles", "en",   "es",    "est",  "et",   "eu",  "eux",   "il",   "ils",  "j",
     "je",  "l",   "la", "le",   "les",   "leur", "leurs", "lui",  "m",    "ma",  "mais",  "me",   "mes",  "moi",
     "mon", "n",   "ne", "nos",  "notre", "nous", "on",    "ont",  "ou",   "où",  "par",   "pas",  "pour", "qu",
     "que", "qui", "s",  "sa",   "se",    "ses",  "soi",   "son",  "sont", "sur", "t",     "ta",   "te",   "tes",
     "toi", "ton", "tu", "un",   "une",   "vos",  "votre", "vous", "y",    "à",   "été",   "être"});
static_assert(std::ranges::is_sorted(kFrenchWords));

constexpr auto kGermanWords = std::to_array<std::string_view>(
    {"aber", "als",  "am",    "an",   "auch",  "auf",   "aus",   "bei",   "bin",   "bis",    "bist",   "da",     "das",
     "dass", "dein", "dem",   "den",  "der",   "des",   "die",   "dies",  "diese", "diesem", "diesen", "dieser", "dieses",
     "doch", "du",   "durch", "ein",  "eine",  "einem", "einen", "einer", "eines", "er",     "es",     "für",    "hat",
     "ich",  "ihm",  "ihn",   "ihr",  "im",    "in",    "ins",   "ist",   "ja",    "kein",   "keine",  "man",    "mein",
     "mich", "mir",  "mit",   "nach", "nicht", "noch",  "nun",   "nur",   "ob",    "oder",   "ohne",   "sein",   "sich",
     "sie",  "sind", "so",    "und",  "uns",   "unter", "vom",   "von",   "vor",   "war",    "was",    "wenn",   "wer",
     "wie",  "wir",  "wird",  "zu",   "zum",   "zur",   "über"});
static_assert(std::ranges::is_sorted(kGermanWords));

constexpr auto kItalianWords = std::to_array<std::string_view>(
    {"a",      "ad",   "agli",  "ai",    "al",    "alla",  "alle", "allo",  "anche", "c",     "che",    "chi",    "ci",
     "come",   "con",  "cui",   "d",     "da",    "dagli", "dai",  "dal",   "dalla", "dalle", "dallo",  "degli",  "dei",
     "del",    "dell", "della", "delle", "dello", "di",    "e",    "ed",    "gli",   "ha",    "ho",     "i",      "il",
     "in",     "io",   "l",     "la",    "le",    "lei",   "lo",   "loro",  "lui",   "ma",    "mi",     "ne",     "negli",
     "nei",    "nel",  "nella", "nelle", "nello", "noi",   "non",  "o",     "per",   "più",   "quella", "quello", "questa",
     "questo", "se",   "sei",   "si",    "sono",  "su",    "sua",  "sugli", "sui",   "sul",   "sulla",  "sulle",  "sullo",
     "suo",    "ti",   "tra",   "tu",    "un",    "una",   "uno",  "vi",    "voi",   "è"});
static_assert(std::ranges::is_sorted(kItalianWords));

constexpr auto kPortugueseWords = std::to_array<std::string_view>(
    {"a",     "ao",  "aos",    "as",     "com",  "como", "da",    "das",  "de",   "dela", "dele",  "do",    "dos",
     "e",     "ela", "elas",   "ele",    "eles", "em",   "entre", "era",  "essa", "esse", "esta",  "este",  "eu",
     "foi",   "há",  "isso",   "isto",   "já",   "lhe",  "mais",  "mas",  "me",   "meu",  "minha", "muito", "na",
     "nas",   "nem", "no",     "nos",    "não",  "nós",  "o",     "os",   "ou",   "para", "pela",  "pelas", "pelo",
     "pelos", "por", "qual",   "quando", "que",  "quem", "se",    "sem",  "ser",  "seu",  "seus",  "sua",   "suas",
     "são",   "só",  "também", "te",     "tem",  "um",   "uma",   "umas", "uns",  "você", "à",     "às",    "é"});
static_assert(std::ranges::is_sorted(kPortugueseWords));

constexpr auto kSpanishWords = std::to_array<std::string_view>(
    {"a",    "al",   "como",    "con",    "de",  "del",   "donde", "e",    "el",   "ella", "ellas", "ellos", "en",  "entre",
     "era",  "es",   "esa",     "ese",    "eso", "esta",  "este",  "esto", "está", "fue",  "ha",    "han",   "hay", "la",
     "las",  "le",   "les",     "lo",     "los", "me",    "mi",    "mis",  "muy",  "más",  "ni",    "no",    "nos", "o",
     "para", "pero", "por",     "porque", "que", "quien", "qué",   "se",   "ser",  "si",   "sin",   "sobre", "son", "su",
     "sus",  "sí",   "también", "te",     "tu",  "un",    "una",   "unas", "uno",  "unos", "y",     "ya",    "yo",  "él"});
static_assert(std::ranges::is_sorted(kSpanishWords));

std::span<const std::string_view> stop_words_of(Language language) {
  switch (language) {
    case Language::kEnglish: return kStopWords;
    case Language::kFrench: return kFrenchWords;
    case Language::kGerman: return kGermanWords;
    case Language::kItalian: return kItalianWords;
    case Language::kPortuguese: return kPortugueseWords;
    case Language::kSpanish: return kSpanishWords;
  }
  return {};
}

}  // namespace

bool is_common_word(std::string_view word, Language language) {
  return language == Language::kEnglish ? std::ranges::binary_search(kCommonWords, word) : is_stop_word(word, language);
}

bool is_stop_word(std::string_view word, Language language) { return std::ranges::binary_search(stop_words_of(language), word); }

}  // namespace partita
