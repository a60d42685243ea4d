#include "base/random.h"

#include <gtest/gtest.h>

#include <regex>
#include <set>

namespace partita {

TEST(Random, RepeatsFromASeed) {
  Random first(7);
  Random second(7);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(first.next(), second.next());
  EXPECT_NE(Random(7).next(), Random(8).next());
}

TEST(Random, StaysBelowItsBound) {
  Random random(1);
  std::set<uint64_t> seen;
  for (int i = 0; i < 1000; ++i) {
    const uint64_t value = random.below(5);
    EXPECT_LT(value, 5u);
    seen.insert(value);
  }
  EXPECT_EQ(seen.size(), 5u);
  EXPECT_EQ(random.below(1), 0u);
}

TEST(Random, MakesUuidsOfVersionFour) {
  Random random(1);
  const std::regex shape("[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}");
  std::set<std::string> seen;
  for (int i = 0; i < 100; ++i) {
    const std::string uuid = random.uuid();
    EXPECT_TRUE(std::regex_match(uuid, shape)) << uuid;
    EXPECT_TRUE(seen.insert(uuid).second);
  }
}

}  // namespace partita
