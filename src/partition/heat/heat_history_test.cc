#include "partition/heat/heat_history.h"

#include <gtest/gtest.h>

namespace partita {
namespace {

constexpr int64_t kSecond = 1'000'000;
constexpr int64_t kNow = 472'222LL * 3600 * kSecond;  // an hour begins

HeatTally tally(uint64_t requests) {
  return {.requests = requests,
          .throttled = 2,
          .milli_units = 1000 * requests,
          .peak_milli_units = 100 * requests,
          .latency_median_us = 64,
          .latency_99_us = 128};
}

HeatHistory some_history() {
  return {.minutes = {{27, tally(10)}, {29, tally(20)}},
          .hours = {{3, tally(30)}},
          .minute = 29,
          .hot_keys = {{"B", 600, 100}, {"A", 300, 0}},
          .hot_keys_total = 1000};
}

}  // namespace

TEST(HeatHistory, HasItsLayout) {
  constexpr std::string_view kJson =
      R"({"format":1,"minutes":[[27,10,2,10000,1000,64,128],[29,20,2,20000,2000,64,128]],"hours":[[3,30,2,30000,3000,64,128]],)"
      R"("minute":29,"hotKeys":[["42",600,100],["41",300,0]],"hotKeysTotal":1000})";
  EXPECT_EQ(encode_heat(some_history()), kJson);
  EXPECT_EQ(decode_heat(kJson), some_history());
}

TEST(HeatHistory, DamageIsTold) {
  constexpr std::string_view kEnd = R"("hours":[],"minute":29,"hotKeys":[],"hotKeysTotal":0})";
  for (const std::string& damaged : {std::string("{"), std::string("5"), R"({"format":2,"minutes":[],)" + std::string(kEnd),
                                     R"({"format":1,"minutes":[[1,2,3]],)" + std::string(kEnd),
                                     R"({"format":1,"minutes":[[1,2,3,4,5,6,-1]],)" + std::string(kEnd),
                                     R"({"format":1,"minutes":[[2,0,0,0,0,0,0],[2,0,0,0,0,0,0]],)" + std::string(kEnd)}) {
    const Result<HeatHistory> decoded = decode_heat(damaged);
    ASSERT_FALSE(decoded) << damaged;
    EXPECT_EQ(decoded.error().code, ErrorCode::kCorruption);
  }
}

TEST(HeatHistory, LetsAPartitionGoOnWhereItWas) {
  Heat before(kNow);
  for (int64_t second = 0; second < 5000; ++second) before.record(kNow + second * kSecond, "hot", 2, 100);
  const int64_t closed = kNow + 5000 * kSecond;
  const HeatHistory history = before.history(closed);

  // Closed for ten seconds.
  const int64_t opened = closed + 10 * kSecond;
  Heat after(opened);
  after.restore(history, opened);
  for (int64_t second = 0; second < 120; ++second) after.record(opened + second * kSecond, "hot", 2, 100);
  const Heat::Report report = after.report(opened + 120 * kSecond);
  uint64_t requests = 0;
  for (const HeatTally& minute : report.minutes) requests += minute.requests;
  EXPECT_NEAR(static_cast<double>(requests), 3590, 60);
  EXPECT_EQ(report.hours[0].requests, 3600u);
  EXPECT_EQ(report.total.requests, 120u);
  ASSERT_EQ(report.hot_keys.size(), 1u);
  EXPECT_GT(report.hot_keys[0].weight, 100'000u);
}

TEST(HeatHistory, FadesWhileThePartitionIsClosed) {
  const HeatHistory history = some_history();
  const int64_t opened = (history.minute + 2) * 60 * kSecond;
  Heat heat(opened);
  heat.restore(history, opened);
  const Heat::Report report = heat.report(opened);
  EXPECT_EQ(report.hot_keys_total, 250u);
  EXPECT_EQ(report.hot_keys[0].weight, 150u);
  EXPECT_EQ(report.minutes[1].requests, 20u);
  EXPECT_EQ(heat.report(1'000'000 * kSecond).minutes[0], HeatTally{});
}

TEST(HeatHistory, IsDividedByHotKeysAndDocuments) {
  const HeatHistory whole = some_history();
  // 500 and 300 are known, 200 spread like documents.
  const EffectiveKeyRange low{"", "B"};
  const EffectiveKeyRange high{"B", "\xFF"};
  EXPECT_DOUBLE_EQ(whole.share_of(low, 0.5), 0.4);
  EXPECT_DOUBLE_EQ(whole.share_of(high, 0.5), 0.6);
  const HeatHistory part = whole.part(high, 0.6);
  EXPECT_EQ(part.minutes[0].tally.requests, 6u);
  EXPECT_EQ(part.minutes[0].tally.latency_99_us, 128u);
  EXPECT_EQ(part.hot_keys, (std::vector<HotKeys::Entry>{{"B", 600, 100}}));
  EXPECT_EQ(part.hot_keys_total, 600u);
  EXPECT_DOUBLE_EQ(HeatHistory{}.share_of(low, 0.25), 0.25);
}

TEST(HeatHistory, AddsUp) {
  HeatHistory both = some_history();
  both += {
      .minutes = {{28, tally(1)}, {29, tally(2)}}, .hours = {}, .minute = 29, .hot_keys = {{"C", 400, 0}}, .hot_keys_total = 400};
  ASSERT_EQ(both.minutes.size(), 3u);
  EXPECT_EQ(both.minutes[1].number, 28);
  EXPECT_EQ(both.minutes[2].tally.requests, 22u);
  EXPECT_EQ(both.hot_keys[1].key, "C");
  EXPECT_EQ(both.hot_keys_total, 1400u);
}

}  // namespace partita
