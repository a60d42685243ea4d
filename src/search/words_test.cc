#include "search/words.h"

#include <gtest/gtest.h>

#include <string>

namespace partita {
namespace {

std::string words_of(std::string_view text, Language language = Language::kEnglish) {
  const WordList words = WordList::of(text, language);
  std::string out;
  for (size_t i = 0; i < words.size(); ++i) out += std::string(i == 0 ? "" : " ") + std::string(words[i]);
  return out;
}

}  // namespace

TEST(WordList, HasStemsInLowerCaseWithoutStopWords) {
  EXPECT_EQ(words_of("The Swimmers are SWIMMING in 3 lakes, quickly!"), "swimmer swim 3 lake quick");
  EXPECT_EQ(words_of("don't rock'n'roll 'quoted' it’s"), "don't rock'n'rol quot it");
  EXPECT_EQ(words_of("Grüße aus KÖLN"), "grüße aus köln");
  EXPECT_EQ(words_of("state-of-the-art e-mail"), "state art e mail");
}

TEST(WordList, HasTheStemsAndStopWordsOfItsLanguage) {
  EXPECT_EQ(words_of("Die Häuser und das Haus der Brüder", Language::kGerman), "haus haus brud");
  EXPECT_EQ(words_of("L’école et les écoles d'aujourd'hui", Language::kFrench), "écol écol aujourd hui");
  EXPECT_EQ(words_of("dell'arte: le case della città", Language::kItalian), "arte cas citt");
  EXPECT_EQ(words_of("As canções são cantadas em português", Language::kPortuguese), "cançõ cant português");
  EXPECT_EQ(words_of("Las demostraciones en español", Language::kSpanish), "demostr español");
}

TEST(Language, HasTheCodesOfPolicies) {
  for (const std::string_view code : {"en-US", "fr-FR", "de-DE", "it-IT", "pt-BR", "es-ES"}) {
    ASSERT_TRUE(language_of(code)) << code;
    EXPECT_EQ(code_of(*language_of(code)), code);
    EXPECT_NE(language_codes().find(code), std::string_view::npos);
  }
  EXPECT_EQ(language_of("pt-PT"), Language::kPortuguese);
  EXPECT_EQ(language_of("1033"), Language::kEnglish);
  for (const std::string_view code : {"", "en", "EN-us", "spa-SPA"}) EXPECT_FALSE(language_of(code)) << code;
}

TEST(WordList, KeepsNumbersTogether) {
  EXPECT_EQ(words_of("1,977 of 3.14, 5.x 1..2 4,b"), "1,977 3.14 5 x 1 2 4 b");
  EXPECT_EQ(words_of("2010.\nEnd. 7,"), "2010 end 7");
}

TEST(WordList, IsAsLongAsItHasWordsThatAreNotCommon) {
  EXPECT_EQ(WordList::of("An American boxer who was also a well known player").length(), 3U);
  EXPECT_EQ(WordList::of("the United States").length(), 1U);
  EXPECT_EQ(WordList::of("").length(), 0U);
}

TEST(WordList, OfNothingIsEmpty) {
  for (const char* text : {"", " \t\n", "...", "the of and", "'"}) EXPECT_EQ(words_of(text), "") << text;
}

TEST(WordList, SurvivesBytesThatAreNoText) {
  EXPECT_EQ(words_of("one\xff\xfe two\xed\xa0\x80three \xc3"), "one two three");
  EXPECT_EQ(words_of(std::string("nul\0byte", 8)), "nul byte");
}

TEST(WordList, CutsEndlessWords) {
  const WordList words = WordList::of(std::string(100'000, 'x') + " end");
  ASSERT_EQ(words.size(), 2U);
  EXPECT_LE(words[0].size(), kWordBytesMax);
}

TEST(CountPhrase, CountsWordsThatFollowEachOther) {
  const WordList text = WordList::of("United States, united we stand in the United States of America");
  EXPECT_EQ(count_phrase(text, WordList::of("united states")), 2U);
  EXPECT_EQ(count_phrase(text, WordList::of("united")), 3U);
  EXPECT_EQ(count_phrase(text, WordList::of("states united")), 1U);
  EXPECT_EQ(count_phrase(text, WordList::of("we stand united")), 1U);  // stop words between them do not count
  EXPECT_EQ(count_phrase(text, WordList::of("we united stand")), 0U);
  EXPECT_EQ(count_phrase(text, WordList::of("the")), 0U);
  EXPECT_EQ(count_phrase(WordList::of(""), WordList::of("a b c")), 0U);
}

}  // namespace partita
