#include "storage/keyspace.h"

#include <gtest/gtest.h>

#include <string>

namespace partita {

TEST(Keyspace, FamiliesHaveTheirNamesOnDisk) {
  std::string names;
  for (Family family : kFamilies) names += std::string(name_of(family)) + " ";
  EXPECT_EQ(names, "default items keys index changes ");
}

TEST(Keyspace, PrefixEndIsTheFirstKeyBehindAllWithThePrefix) {
  EXPECT_EQ(prefix_end("a"), "b");
  EXPECT_EQ(prefix_end(std::string("\0\0\0\7", 4)), std::string("\0\0\0\10", 4));
  EXPECT_EQ(prefix_end("a\x7F"), "a\x80");
  EXPECT_EQ(prefix_end("a\xFF"), "b");
  EXPECT_EQ(prefix_end("a\xFF\xFF"), "b");
  EXPECT_EQ(prefix_end("\xFE\xFF"), "\xFF");
}

TEST(KeyspaceDeathTest, NoKeyIsBehindThePrefixOfAllOnes) { EXPECT_DEATH(prefix_end("\xFF\xFF"), "empty"); }

}  // namespace partita
