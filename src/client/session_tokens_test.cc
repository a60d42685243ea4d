#include "client/session_tokens.h"

#include <gtest/gtest.h>

namespace partita::client {
namespace {

TEST(SessionTokens, KeepsTheNewestOfEachRange) {
  SessionTokens tokens;
  EXPECT_EQ(tokens.text(), "");
  tokens.note("0:-1#5");
  tokens.note("1:0#7#3=9,0:-1#4");
  EXPECT_EQ(tokens.text(), "0:-1#5,1:0#7#3=9");
  tokens.note("0:-1#12");
  tokens.note("1:1#2#3=1");
  EXPECT_EQ(tokens.text(), "0:-1#12,1:1#2#3=1");
}

TEST(SessionTokens, IgnoresWhatItCannotRead) {
  SessionTokens tokens;
  for (const char* text : {"", ":", ":1", "0", "0:", "0:x", "0:1#", "0:1#x", "0:#1", "0:1#99999999999999999999", ",,,"}) {
    tokens.note(text);
    EXPECT_EQ(tokens.text(), "") << text;
  }
  tokens.note("0:17");
  EXPECT_EQ(tokens.text(), "0:17");
}

}  // namespace
}  // namespace partita::client
