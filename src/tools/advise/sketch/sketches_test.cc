#include "tools/advise/sketch/distinct_count.h"
#include "tools/advise/sketch/heavy_values.h"
#include "tools/advise/sketch/lifetimes.h"
#include "tools/advise/sketch/time_windows.h"
#include "tools/advise/sketch/window_loads.h"

#include <gtest/gtest.h>

namespace partita::tools::advise {
namespace {

uint64_t mixed(uint64_t value) {
  value += 0x9E3779B97F4A7C15;
  value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9;
  value = (value ^ (value >> 27)) * 0x94D049BB133111EB;
  return value ^ (value >> 31);
}

}  // namespace

TEST(DistinctCount, IsNearForFewAndForMany) {
  for (const uint64_t count : std::vector<uint64_t>{0, 1, 10, 1'000, 9'000, 12'000, 200'000, 1'000'000}) {
    DistinctCount distinct;
    for (uint64_t i = 0; i < count; ++i) distinct.add(mixed(i));
    for (uint64_t i = 0; i < count; i += 3) distinct.add(mixed(i));  // what comes again does not count
    const auto expected = static_cast<double>(count);
    EXPECT_NEAR(distinct.estimate(), expected, 0.05 * expected + 0.5) << count;
  }
}

TEST(HeavyValues, KeepsEveryHeavyValueWithinItsError) {
  HeavyValues values(64);
  // The value 1 has a fifth of all weight and comes among 100,000 others.
  for (uint64_t i = 0; i < 100'000; ++i) {
    values.add(mixed(i % 5 == 0 ? 1 : i + 10), 2, [&] { return std::to_string(i % 5 == 0 ? 1 : i + 10); });
  }
  const auto heaviest = values.heaviest(3);
  ASSERT_FALSE(heaviest.empty());
  EXPECT_EQ(heaviest[0].text, "1");
  EXPECT_LE(heaviest[0].weight, 40'000);
  EXPECT_GE(heaviest[0].weight, 40'000 - values.error());
  EXPECT_LE(values.error(), values.total() / 64);
  EXPECT_DOUBLE_EQ(values.total(), 200'000);
}

TEST(HeavyValues, NamesTheHeaviestOfValuesThatComeOnce) {
  HeavyValues values(16);
  uint64_t texts = 0;
  // A heavy one comes early, is given up in time, and another one comes at the end.
  for (uint64_t i = 0; i < 5'000; ++i) {
    values.add(mixed(i), i == 9 || i == 4'990 ? 50 : 2, [&] {
      ++texts;
      return std::to_string(i);
    });
  }
  EXPECT_EQ(values.heaviest(1)[0].text, "4990");
  EXPECT_LT(texts, 1'000u) << "texts are made for few of them";
}

TEST(HeavyValues, IsExactForFewValues) {
  HeavyValues values(10);
  for (uint64_t i = 0; i < 20; ++i) values.add(mixed(i % 4), 1, [&] { return std::to_string(i % 4); });
  EXPECT_EQ(values.error(), 0);
  const auto heaviest = values.heaviest(10);
  ASSERT_EQ(heaviest.size(), 4u);
  EXPECT_EQ(heaviest[0].text, "0");  // of equal weights, by their text
  EXPECT_DOUBLE_EQ(heaviest[3].weight, 5);
  EXPECT_DOUBLE_EQ(heaviest[3].items, 5);
}

TEST(Lifetimes, TellDaysFromDevices) {
  Lifetimes days;
  Lifetimes devices;
  for (int64_t hour = 0; hour < 24 * 400; ++hour) {
    days.add(mixed(static_cast<uint64_t>(hour / 24)), hour * 3600);
    devices.add(mixed(static_cast<uint64_t>(hour % 3'000)), hour * 3600);
  }
  EXPECT_LT(days.mean_share(), 0.05);
  EXPECT_GT(devices.mean_share(), 0.9);
}

TEST(WindowLoads, AreEvenWhereRequestsMeetByChance) {
  WindowLoads even(4);
  WindowLoads hot(4);
  for (uint64_t i = 0; i < 4'000; ++i) {
    const auto load = static_cast<double>(1 + mixed(i) % 9);
    even.add(i % 60, mixed(i + 7) % 4, load);
    hot.add(i % 60, i % 60 % 4, load);
  }
  EXPECT_NEAR(even.skew(), 1, 0.2);
  EXPECT_NEAR(hot.skew(), 4, 1e-3);
  EXPECT_EQ(WindowLoads(4).skew(), 1);
}

TEST(WindowLoads, SayNothingOfSingleRequests) {
  WindowLoads loads(4);
  for (size_t window = 0; window < 100; ++window) loads.add(window, 0, 5);
  EXPECT_EQ(loads.skew(), 1);
}

TEST(WindowLoads, CanBePutTogether) {
  WindowLoads loads(2);
  for (size_t window = 0; window < 8; ++window) loads.add(window, window % 2, 1);
  const std::vector<size_t> moved = {0, 1, 0, 1, 0, 1, 0, 1};
  loads.merge(moved, 2);
  EXPECT_GT(loads.skew(), 1.5);
}

TEST(TimeWindows, DoubleUntilTheyAreFewEnough) {
  TimeWindows windows;
  std::vector<uint64_t> counts;
  for (int64_t second = 0; second < 10'000; ++second) {
    std::vector<size_t> moved;
    const size_t at = windows.at(second, moved);
    if (!moved.empty()) {
      std::vector<uint64_t> merged(windows.size());
      for (size_t i = 0; i < counts.size(); ++i) merged[moved[i]] += counts[i];
      counts = std::move(merged);
    }
    counts.resize(windows.size());
    ++counts[at];
  }
  EXPECT_LE(windows.size(), TimeWindows::kWindowsMax);
  EXPECT_EQ(windows.length(), 16);
  EXPECT_EQ(windows.last(), 9'999);
  for (const uint64_t count : counts) EXPECT_EQ(count, 16u);
}

}  // namespace partita::tools::advise
