#include "base/prefix_end.h"

#include <gtest/gtest.h>

#include <string>

namespace partita {

TEST(PrefixEnd, IsTheFirstBehindAllWithThePrefix) {
  EXPECT_EQ(prefix_end("a"), "b");
  EXPECT_EQ(prefix_end(std::string("\0\0\0\7", 4)), std::string("\0\0\0\10", 4));
  EXPECT_EQ(prefix_end("a\x7F"), "a\x80");
  EXPECT_EQ(prefix_end("a\xFF"), "b");
  EXPECT_EQ(prefix_end("a\xFF\xFF"), "b");
  EXPECT_EQ(prefix_end("\xFE\xFF"), "\xFF");
}

TEST(PrefixEndDeathTest, NothingIsBehindThePrefixOfAllOnes) { EXPECT_DEATH(prefix_end("\xFF\xFF"), "empty"); }

}  // namespace partita
