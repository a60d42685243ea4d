#include "protocols/cosmos/codec/session_token.h"

#include <gtest/gtest.h>

#include <vector>

namespace partita::cosmos {
namespace {

uint64_t demanded(std::string_view text, std::string_view range_id, const std::vector<std::string>& parents = {}) {
  const auto tokens = SessionTokens::parse(text);
  EXPECT_TRUE(tokens) << text;
  return tokens ? tokens->lsn_demanded(range_id, parents) : 0;
}

TEST(SessionToken, HasTheShapeOfTheClientsVersion) {
  EXPECT_EQ(session_token_shape("2017-11-15"), SessionTokenShape::kSimple);
  EXPECT_EQ(session_token_shape("2018-06-17"), SessionTokenShape::kSimple);
  EXPECT_EQ(session_token_shape("2018-06-18"), SessionTokenShape::kVector);
  EXPECT_EQ(session_token_shape("2020-07-15"), SessionTokenShape::kVector);
  EXPECT_EQ(session_token_shape(""), SessionTokenShape::kVector);
  EXPECT_EQ(session_token_shape("0.1"), SessionTokenShape::kVector);
}

TEST(SessionToken, IsWrittenWithItsRange) {
  std::string text = "x=";
  append_session_token(text, "0", 123, SessionTokenShape::kSimple);
  EXPECT_EQ(text, "x=0:123");
  text.clear();
  append_session_token(text, "17", 123, SessionTokenShape::kVector);
  EXPECT_EQ(text, "17:-1#123");
}

TEST(SessionTokens, DemandsWhatTheRangesEntrySays) {
  EXPECT_EQ(demanded("", "0"), 0U);
  EXPECT_EQ(demanded("0:5", "0"), 5U);
  EXPECT_EQ(demanded("0:5", "1"), 0U);
  EXPECT_EQ(demanded("0:-1#5", "0"), 5U);
  EXPECT_EQ(demanded("0:1#5#1=4#2=3", "0"), 5U);
  EXPECT_EQ(demanded("0:1#5,1:1#7 , 2:9", "1"), 7U);
  EXPECT_EQ(demanded("0:1#5,1:1#7 , 2:9", "2"), 9U);
  EXPECT_EQ(demanded("10:5", "1"), 0U);
  EXPECT_EQ(demanded("0:5,,", "0"), 5U);
}

TEST(SessionTokens, ABareTokenHoldsForEveryRange) {
  EXPECT_EQ(demanded("12", "3"), 12U);
  EXPECT_EQ(demanded("-1#12", "3"), 12U);
  EXPECT_EQ(demanded("3:4,12", "3"), 12U);
}

TEST(SessionTokens, AChildHonoursItsParents) {
  EXPECT_EQ(demanded("0:-1#50", "3", {"1", "0"}), 50U);
  EXPECT_EQ(demanded("0:-1#50,3:-1#60", "3", {"0"}), 60U);
  EXPECT_EQ(demanded("0:-1#70,3:-1#60", "3", {"0"}), 70U);
  EXPECT_EQ(demanded("2:-1#70", "3", {"0"}), 0U);
}

TEST(SessionTokens, ANegativeLsnDemandsNothing) { EXPECT_EQ(demanded("0:-1#-1", "0"), 0U); }

TEST(SessionTokens, RejectsWhatIsNoToken) {
  for (const char* text : {"x", "0:", "0:x", "0:1#", "0:1#x", "0:x#1", "0:1#2#3", "0:1#2#a=1",
                           "0:1#2#1=", "0:99999999999999999999", "0:1,x", "0:5 6"}) {
    const auto tokens = SessionTokens::parse(text);
    ASSERT_FALSE(tokens) << text;
    EXPECT_EQ(tokens.error().code, ErrorCode::kInvalidInput);
  }
}

}  // namespace
}  // namespace partita::cosmos
