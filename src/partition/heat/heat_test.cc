#include "partition/heat/heat.h"

#include <gtest/gtest.h>

#include <thread>

namespace partita {
namespace {

constexpr int64_t kSecond = 1'000'000;

}  // namespace

TEST(Heat, KnowsTheLastSecondsMinutesAndHours) {
  Heat heat(0);
  for (int64_t second = 0; second < 7200; ++second) heat.record(second * kSecond, "k", 2, 100);
  heat.record_throttled(7199 * kSecond);
  const Heat::Report report = heat.report(7200 * kSecond);
  EXPECT_EQ(report.total.requests, 7200u);
  EXPECT_EQ(report.total.milli_units, 14'400'000u);
  ASSERT_EQ(report.seconds.size(), Heat::kSeconds);
  EXPECT_EQ(report.seconds[0], (HeatTally{.requests = 1,
                                          .throttled = 1,
                                          .milli_units = 2000,
                                          .peak_milli_units = 2000,
                                          .latency_median_us = 128,
                                          .latency_99_us = 128}));
  EXPECT_EQ(report.seconds[59].requests, 1u);
  ASSERT_EQ(report.minutes.size(), Heat::kMinutes);
  EXPECT_EQ(report.minutes[0].requests, 60u);
  EXPECT_EQ(report.minutes[59].milli_units, 120'000u);
  ASSERT_EQ(report.hours.size(), 2u);
  EXPECT_EQ(report.hours[1].requests, 3600u);
}

TEST(Heat, IdleTimeIsZeroAndCostsNothing) {
  Heat heat(0);
  heat.record(0, "k", 1, 1);
  EXPECT_EQ(heat.report(kSecond).seconds[0].requests, 1u);
  const Heat::Report later = heat.report(1'000'000 * kSecond);
  for (const HeatTally& tally : later.seconds) EXPECT_EQ(tally, HeatTally{});
  for (const HeatTally& tally : later.hours) EXPECT_EQ(tally, HeatTally{});
  EXPECT_EQ(later.total.requests, 1u);
}

TEST(Heat, RemembersItsBusiestSecond) {
  Heat heat(0);
  for (int i = 0; i < 10; ++i) heat.record(5 * kSecond, "k", 4, 1);
  for (int64_t second = 6; second < 30; ++second) heat.record(second * kSecond, "k", 1, 1);
  EXPECT_DOUBLE_EQ(heat.peak_units_per_second(30 * kSecond), 40);
  EXPECT_DOUBLE_EQ(heat.peak_units_per_second(70 * kSecond), 1);
  EXPECT_DOUBLE_EQ(heat.peak_units_per_second(700 * kSecond), 0);
  EXPECT_EQ(heat.report(70 * kSecond).minutes[0].peak_milli_units, 40'000u);
}

TEST(Heat, FindsTheHotKeyAmongRequestsInTurn) {
  Heat heat(0);
  for (int i = 0; i < 8000; ++i) {
    heat.record(0, i % 2 == 0 ? "hot" : "cold" + std::to_string(i % 16), 1, 1);
  }
  const Heat::Report report = heat.report(kSecond);
  ASSERT_EQ(report.hot_keys.size(), 9u);
  EXPECT_EQ(report.hot_keys[0].key, "hot");
  const double share = static_cast<double>(report.hot_keys[0].weight) / static_cast<double>(report.hot_keys_total);
  EXPECT_NEAR(share, 0.5, 0.05);
}

TEST(Heat, KnowsLatencies) {
  Heat heat(0);
  for (int i = 0; i < 99; ++i) heat.record(0, "k", 1, 100);
  heat.record(0, "k", 1, 5000);
  const Heat::Report report = heat.report(kSecond);
  EXPECT_EQ(latency_quantile_us(report.latencies, 0.5), 128);
  EXPECT_EQ(latency_quantile_us(report.latencies, 0.99), 128);
  EXPECT_EQ(latency_quantile_us(report.latencies, 0.999), 8192);
  EXPECT_EQ(latency_quantile_us({}, 0.5), 0);
}

TEST(Heat, KnowsTheLatenciesOfEachSecondMinuteAndHour) {
  Heat heat(0);
  for (int i = 0; i < 99; ++i) heat.record(0, "k", 1, 100);
  heat.record(kSecond, "k", 1, 5000);
  heat.record(60 * kSecond, "k", 1, 20'000);
  const Heat::Report report = heat.report(3600 * kSecond);
  EXPECT_EQ(report.minutes[59].latency_median_us, 128u);
  EXPECT_EQ(report.minutes[59].latency_99_us, 128u);
  EXPECT_EQ(report.minutes[58].latency_median_us, 32'768u);
  EXPECT_EQ(report.hours[0].latency_median_us, 128u);
  EXPECT_EQ(report.hours[0].latency_99_us, 8192u);
}

TEST(Heat, ForgetsOldLatencies) {
  Heat heat(0);
  for (int i = 0; i < 100; ++i) heat.record(0, "k", 1, 5000);
  EXPECT_EQ(latency_quantile_us(heat.report(kSecond).latencies, 0.5), 8192);
  for (int i = 0; i < 20; ++i) heat.record(3 * 60 * kSecond, "k", 1, 100);
  EXPECT_EQ(latency_quantile_us(heat.report(3 * 60 * kSecond + kSecond).latencies, 0.5), 128);
  EXPECT_EQ(latency_quantile_us(heat.report(600 * 60 * kSecond).latencies, 0.5), 0);
}

TEST(Heat, CountsFromManyThreads) {
  Heat heat(0);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 5000; ++i) heat.record(i * 1000, "k", 1, 1);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(heat.report(60 * kSecond).total.requests, 20'000u);
}

}  // namespace partita
