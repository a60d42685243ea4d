#include "document/json/utf8.h"

#include <gtest/gtest.h>

namespace partita {

TEST(Utf8, EveryCodePointRoundTrips) {
  for (uint32_t code_point = 0; code_point <= 0x10FFFF; ++code_point) {
    std::string text;
    append_code_point(text, code_point);
    const auto [value, bytes] = first_code_point(text);
    ASSERT_EQ(value, code_point);
    ASSERT_EQ(bytes, text.size());
    ASSERT_EQ(well_formed_utf8_bytes(text, Surrogates::kAccepted), text.size());
    ASSERT_EQ(well_formed_utf8_bytes(text, Surrogates::kRejected), is_surrogate(code_point) ? 0 : text.size());
  }
}

TEST(Utf8, StopsAtTheFirstIllFormedSequence) {
  for (const char* ill_formed : {"\x80", "\xC0\x80", "\xC1\xBF", "\xC3", "\xC3(", "\xE0\x9F\xBF", "\xE2\x82", "\xE2\x82(",
                                 "\xF0\x8F\xBF\xBF", "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xFF"}) {
    EXPECT_EQ(well_formed_utf8_bytes(std::string("ab") + ill_formed, Surrogates::kAccepted), 2u) << ill_formed;
  }
}

TEST(Utf8, APairOfSurrogatesHasOneForm) {
  EXPECT_EQ(well_formed_utf8_bytes("\xED\xA0\x80\xED\xB0\x80", Surrogates::kAccepted), 0u);
  EXPECT_EQ(well_formed_utf8_bytes("\xED\xB0\x80\xED\xA0\x80", Surrogates::kAccepted), 6u);
  EXPECT_EQ(well_formed_utf8_bytes("\xED\xA0\x80\xED\xA0\x80", Surrogates::kAccepted), 6u);
}

TEST(Utf8, IsRepairedByteByByte) {
  EXPECT_EQ(repaired_utf8(""), "");
  EXPECT_EQ(repaired_utf8("a\xC3\xA4"), "a\xC3\xA4");
  EXPECT_EQ(repaired_utf8("\xFF"
                          "a\xC3"),
            "\xEF\xBF\xBD"
            "a\xEF\xBF\xBD");
  EXPECT_EQ(repaired_utf8("\xED\xA0\x80"), "\xED\xA0\x80");
  for (int first = 0; first < 256; ++first) {
    for (int second = 0; second < 256; ++second) {
      const std::string text = {static_cast<char>(first), static_cast<char>(second), '\xED'};
      const std::string repaired = repaired_utf8(text);
      ASSERT_EQ(well_formed_utf8_bytes(repaired, Surrogates::kAccepted), repaired.size()) << first << ' ' << second;
    }
  }
}

TEST(Utf8, IsCutBetweenCharacters) {
  EXPECT_EQ(utf8_prefix("abc", 3), "abc");
  EXPECT_EQ(utf8_prefix("abc", 2), "ab");
  EXPECT_EQ(utf8_prefix("a\xC3\xA4", 2), "a");
  EXPECT_EQ(utf8_prefix("\xF0\x9F\x98\x80", 3), "");
  EXPECT_EQ(utf8_prefix("\x80\x80\x80\x80\x80\x80", 5).size(), 5u);
}

}  // namespace partita
