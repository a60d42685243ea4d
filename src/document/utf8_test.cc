#include "document/utf8.h"

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

}  // namespace partita
