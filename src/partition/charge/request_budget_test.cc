#include "partition/charge/request_budget.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <thread>
#include <vector>

namespace partita {
namespace {

constexpr int64_t kSecond = RequestBudget::kSecondUs;

// Offers requests of `units` each at a fixed rate and returns the units per second that were admitted.
double admitted_rate(RequestBudget& budget, double offered_per_second, double units, int seconds,
                     Priority priority = Priority::kHigh, int64_t start_us = 0) {
  const auto gap_us = static_cast<int64_t>(units / offered_per_second * kSecond);
  double used = 0;
  for (int64_t now = start_us; now < start_us + seconds * kSecond; now += gap_us) {
    if (budget.wait_us(now, priority) > 0) continue;
    budget.charge(now, units);
    used += units;
  }
  return used / seconds;
}

}  // namespace

TEST(RequestBudget, WhoeverAsksForTwiceTheBudgetGetsTheBudget) {
  for (const double rate : {400.0, 1'000.0, 10'000.0, 100'000.0}) {
    for (const double units : {1.0, 4.95, 48.19}) {
      RequestBudget budget(0);
      budget.set_rate(rate);
      EXPECT_NEAR(admitted_rate(budget, 2 * rate, units, 60), rate, 0.05 * rate) << rate << " " << units;
    }
  }
}

TEST(RequestBudget, WhoeverAsksForLessGetsItAll) {
  RequestBudget budget(0);
  budget.set_rate(400);
  EXPECT_NEAR(admitted_rate(budget, 390, 1, 60), 390, 1);
}

TEST(RequestBudget, SaysExactlyHowLongToWait) {
  RequestBudget budget(0);
  budget.set_rate(400);
  EXPECT_EQ(budget.wait_us(0, Priority::kHigh), 0);
  budget.charge(0, 400);  // the second that it began with
  EXPECT_EQ(budget.wait_us(0, Priority::kHigh), 0);
  budget.charge(0, 200);
  EXPECT_EQ(budget.wait_us(0, Priority::kHigh), kSecond / 2);
  EXPECT_EQ(budget.wait_us(kSecond / 2 - 1, Priority::kHigh), 1);
  EXPECT_EQ(budget.wait_us(kSecond / 2, Priority::kHigh), 0);
}

TEST(RequestBudget, KeepsWhatWasNotUsedForASecond) {
  RequestBudget budget(0);
  budget.set_rate(400);
  const int64_t much_later = 1000 * kSecond;
  budget.charge(much_later, 400);
  EXPECT_EQ(budget.wait_us(much_later, Priority::kHigh), 0);
  budget.charge(much_later, 4);
  EXPECT_EQ(budget.wait_us(much_later, Priority::kHigh), kSecond / 100);
}

TEST(RequestBudget, OneRequestMayOverdrawItButOnlySoFar) {
  RequestBudget budget(0);
  budget.set_rate(400);
  budget.charge(0, 1250);
  EXPECT_EQ(budget.wait_us(0, Priority::kHigh), 2'125'000);
  budget.charge(0, 1e9);
  EXPECT_EQ(budget.wait_us(0, Priority::kHigh), RequestBudget::kDebtMaxUs);
}

TEST(RequestBudget, LowPriorityGetsOnlyWhatOthersLeave) {
  RequestBudget alone(0);
  alone.set_rate(1000);
  EXPECT_NEAR(admitted_rate(alone, 2000, 1, 60, Priority::kLow), 1000, 50);

  RequestBudget shared(0);
  shared.set_rate(1000);
  double high = 0;
  double low = 0;
  for (int64_t now = 0; now < 60 * kSecond; now += 500) {  // both ask for the whole budget
    const bool is_high = now / 500 % 2 == 0;
    if (shared.wait_us(now, is_high ? Priority::kHigh : Priority::kLow) > 0) continue;
    shared.charge(now, 1);
    (is_high ? high : low) += 1;
  }
  EXPECT_NEAR(high / 60, 1000, 50);
  EXPECT_LT(low / 60, 20);
}

TEST(RequestBudget, BackgroundWorkIsChargedButNeverRefused) {
  RequestBudget budget(0);
  budget.set_rate(400);
  budget.charge(0, 4000);
  EXPECT_EQ(budget.wait_us(0, Priority::kBackground), 0);
  EXPECT_GT(budget.wait_us(0, Priority::kHigh), 0);
}

TEST(RequestBudget, WithoutARateNothingIsRefused) {
  RequestBudget budget(0);
  budget.charge(0, 1e9);
  EXPECT_EQ(budget.wait_us(0, Priority::kLow), 0);
}

// Five idle minutes at 400 RU/s are 120,000 RU, which last 46 seconds at 3,000 RU/s while 400 RU/s go on coming in.
TEST(RequestBudget, BurstsSpendWhatWasSavedAtNoMoreThanTheBurstRate) {
  RequestBudget budget(0);
  budget.set_rate(400);
  budget.allow_bursts(true);
  const int64_t rested = 1000 * kSecond;
  EXPECT_NEAR(admitted_rate(budget, 6000, 1, 40, Priority::kHigh, rested), 3000, 150);
  admitted_rate(budget, 6000, 1, 20, Priority::kHigh, rested + 40 * kSecond);
  EXPECT_NEAR(admitted_rate(budget, 6000, 1, 60, Priority::kHigh, rested + 60 * kSecond), 400, 20);
}

TEST(RequestBudget, ABudgetAboveTheBurstRateDoesNotBurst) {
  RequestBudget budget(0);
  budget.set_rate(5000);
  budget.allow_bursts(true);
  EXPECT_NEAR(admitted_rate(budget, 10'000, 1, 60, Priority::kHigh, 1000 * kSecond), 5000, 250);
}

// Serves clients that ask at once and come back exactly when they are told. Requests are charged in parts, as scripts and queries
// are while they run.
struct Served {
  int refusals_max = 0;
  int64_t last_us = 0;
};
Served serve_all(int clients, double units) {
  RequestBudget budget(0);
  budget.set_rate(400);
  std::multimap<int64_t, int> arrivals;  // time to the number of earlier refusals
  for (int client = 0; client < clients; ++client) arrivals.emplace(0, 0);
  Served served;
  while (!arrivals.empty()) {
    const auto [now_us, refusals] = *arrivals.begin();
    arrivals.erase(arrivals.begin());
    if (const int64_t wait = budget.wait_us(now_us, Priority::kHigh); wait > 0) {
      arrivals.emplace(now_us + budget.promise_us(now_us, wait), refusals + 1);
      continue;
    }
    for (int part = 0; part < 20; ++part) budget.charge(now_us, units / 20);
    budget.note_request(units);
    served.refusals_max = std::max(served.refusals_max, refusals);
    served.last_us = now_us;
  }
  return served;
}

TEST(RequestBudget, ThoseWhoWaitAreToldDifferentTimes) {
  const Served served = serve_all(40, 40);
  EXPECT_LE(served.refusals_max, 5);
  EXPECT_LE(served.last_us, 3 * kSecond);
}

// Official clients give up after nine retries.
TEST(RequestBudget, HundredsAreServedBeforeTheirClientsGiveUp) {
  const Served served = serve_all(240, 20);
  EXPECT_LE(served.refusals_max, 9);
  EXPECT_LE(served.last_us, 12 * kSecond);
}

TEST(RequestBudget, WhoeverWaitsAloneIsToldExactlyWhenThereIsRoom) {
  RequestBudget budget(0);
  budget.set_rate(400);
  budget.charge(0, 600);
  EXPECT_EQ(budget.promise_us(0, budget.wait_us(0, Priority::kHigh)), kSecond / 2);
}

TEST(RequestBudget, StartsAnewWhenItIsReset) {
  RequestBudget budget(0);
  budget.set_rate(400);
  budget.charge(0, 4000);
  budget.reset(0);
  EXPECT_EQ(budget.wait_us(0, Priority::kHigh), 0);
}

TEST(RequestBudget, LosesNothingBetweenThreads) {
  RequestBudget budget(0);
  budget.set_rate(1000);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 1000; ++i) budget.charge(0, 1);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(budget.wait_us(0, Priority::kHigh), 3 * kSecond);
}

}  // namespace partita
