#include "partition/heat/hot_keys.h"

#include "base/random.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

namespace partita {

TEST(HotKeys, AreExactWhileTheyAreFew) {
  HotKeys keys(4);
  keys.add("a", 5);
  keys.add("b", 1);
  keys.add("a", 5);
  const std::vector<HotKeys::Entry> heaviest = keys.heaviest();
  ASSERT_EQ(heaviest.size(), 2u);
  EXPECT_EQ(heaviest[0].key, "a");
  EXPECT_EQ(heaviest[0].weight, 10u);
  EXPECT_EQ(heaviest[0].excess, 0u);
  EXPECT_EQ(keys.total(), 11u);
}

// Ten thousand keys by Zipf's law through 32 slots: the heaviest are found, with weights within the promised bounds.
TEST(HotKeys, FindTheHeaviestOfMany) {
  constexpr size_t kKeys = 10'000;
  HotKeys sketch(32);
  Random random(7);
  std::map<std::string, uint64_t> truth;
  for (int i = 0; i < 200'000; ++i) {
    const double u = (static_cast<double>(random.below(1'000'000)) + 1) / 1'000'000;
    const auto rank = static_cast<size_t>(std::pow(static_cast<double>(kKeys), u)) - 1;  // P(rank) ~ 1/rank
    const std::string key = "k" + std::to_string(rank);
    sketch.add(key, 3);
    truth[key] += 3;
  }
  const std::vector<HotKeys::Entry> heaviest = sketch.heaviest();
  EXPECT_EQ(heaviest.size(), 32u);
  EXPECT_EQ(heaviest[0].key, "k0");
  EXPECT_EQ(heaviest[1].key, "k1");
  EXPECT_EQ(heaviest[2].key, "k2");
  for (const HotKeys::Entry& entry : heaviest) {
    EXPECT_GE(entry.weight, truth[entry.key]) << entry.key;
    EXPECT_LE(entry.weight - entry.excess, truth[entry.key]) << entry.key;
  }
}

TEST(HotKeys, FadeAway) {
  HotKeys keys(4);
  keys.add("old", 8);
  keys.fade();
  keys.add("new", 5);
  EXPECT_EQ(keys.heaviest()[0].key, "new");
  EXPECT_EQ(keys.heaviest()[1].weight, 4u);
  for (int i = 0; i < 4; ++i) keys.fade();
  EXPECT_TRUE(keys.heaviest().empty());
}

}  // namespace partita
