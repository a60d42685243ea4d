#include "base/fair_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

namespace partita {
namespace {

using testing::ElementsAre;

constexpr int64_t kSlice = 10;

FairQueue::Limits roomy(size_t slots, size_t places = 1000) {
  return {.slots = slots,
          .places = places,
          .waiting_max = 100'000,
          .waiting_per_database_max = 100'000,
          .waiting_per_container_max = 100'000};
}

// A queue whose work has names.
class NamedQueue {
 public:
  explicit NamedQueue(const FairQueue::Limits& limits) : queue(limits) {}

  void push(const Tenant& tenant, const std::string& name) { names[queue.push(tenant).value()] = {name, tenant}; }
  // Empty when nothing may run.
  std::string pop() {
    const auto ticket = queue.pop(kSlice);
    if (ticket) running[names.at(*ticket).first] = *ticket;
    return ticket ? names.at(*ticket).first : "";
  }
  void end(const std::string& name, int64_t ran_us = kSlice) {
    const Tenant tenant = names.at(running.at(name)).second;
    queue.charge(tenant, ran_us - kSlice);
    queue.end(tenant);
    running.erase(name);
  }
  void park(const std::string& name, int64_t ran_us = kSlice) {
    const FairQueue::Ticket ticket = running.at(name);
    queue.charge(names.at(ticket).second, ran_us - kSlice);
    queue.park(names.at(ticket).second, ticket);
    running.erase(name);
  }
  // Runs what comes next, one at a time.
  std::vector<std::string> run(size_t count, const std::map<std::string, int64_t>& times = {}) {
    std::vector<std::string> order;
    for (size_t i = 0; i < count; ++i) {
      order.push_back(pop());
      if (order.back().empty()) break;
      end(order.back(), times.contains(order.back()) ? times.at(order.back()) : kSlice);
    }
    return order;
  }

  FairQueue queue;
  std::map<FairQueue::Ticket, std::pair<std::string, Tenant>> names;
  std::map<std::string, FairQueue::Ticket> running;
};

constexpr Tenant kA{1, 1};
constexpr Tenant kB{2, 1};
constexpr Tenant kC{3, 1};

}  // namespace

TEST(FairQueue, AThousandJobsOfOneTenantDoNotDelayTheOneOfAnother) {
  NamedQueue queue(roomy(1));
  for (int i = 0; i < 1000; ++i) queue.push(kA, "a");
  EXPECT_THAT(queue.run(3), ElementsAre("a", "a", "a"));
  queue.push(kB, "b");
  EXPECT_THAT(queue.run(2), ElementsAre("b", "a"));
}

TEST(FairQueue, SharesByTimeAndNotByCount) {
  NamedQueue queue(roomy(1));
  for (int i = 0; i < 100; ++i) queue.push(kA, "long");
  for (int i = 0; i < 100; ++i) queue.push(kB, "short");
  std::map<std::string, int> count;
  for (const std::string& name : queue.run(44, {{"long", 100}, {"short", 10}})) ++count[name];
  EXPECT_EQ(count["long"], 4);
  EXPECT_EQ(count["short"], 40);
}

TEST(FairQueue, ContainersOfADatabaseShareWhatItGets) {
  NamedQueue queue(roomy(1));
  for (int i = 0; i < 8; ++i) queue.push({1, 1}, "a1");
  for (int i = 0; i < 8; ++i) queue.push({1, 2}, "a2");
  for (int i = 0; i < 8; ++i) queue.push({2, 1}, "b");
  std::map<std::string, int> count;
  for (const std::string& name : queue.run(8)) ++count[name];
  EXPECT_EQ(count["b"], 4);
  EXPECT_EQ(count["a1"], 2);
  EXPECT_EQ(count["a2"], 2);
}

TEST(FairQueue, WhoHadNothingToDoSavesNothingForLater) {
  NamedQueue queue(roomy(1));
  for (int i = 0; i < 100; ++i) queue.push(kA, "a");
  queue.run(50);
  for (int i = 0; i < 100; ++i) queue.push(kB, "b");
  std::map<std::string, int> count;
  for (const std::string& name : queue.run(20)) ++count[name];
  EXPECT_EQ(count["a"], 10);
  EXPECT_EQ(count["b"], 10);
}

TEST(FairQueue, LeavingForAMomentIsWorthNothing) {
  NamedQueue queue(roomy(1));
  for (int i = 0; i < 100; ++i) queue.push(kB, "b");
  queue.push(kA, "a");
  EXPECT_THAT(queue.run(2, {{"a", 1000}}), ElementsAre("a", "b"));
  queue.push(kA, "a");
  EXPECT_THAT(queue.run(5), ElementsAre("b", "b", "b", "b", "b"));
}

TEST(FairQueue, WorkThatGaveWayTakesTurnsWithTheRest) {
  NamedQueue queue(roomy(1));
  queue.push(kA, "endless");
  EXPECT_EQ(queue.pop(), "endless");
  queue.push(kA, "own");
  queue.push(kB, "b1");
  queue.push(kB, "b2");
  queue.park("endless");
  EXPECT_EQ(queue.pop(), "b1");
  queue.end("b1");
  EXPECT_EQ(queue.pop(), "own") << "it arrived before the other gave way";
  queue.end("own");
  EXPECT_EQ(queue.pop(), "b2");
  queue.end("b2");
  EXPECT_EQ(queue.pop(), "endless");
  queue.end("endless");
  EXPECT_TRUE(queue.queue.is_empty());
}

TEST(FairQueue, WhatIsAsideKeepsItsPlaceAndNoSlot) {
  NamedQueue queue(roomy(1, 2));
  queue.push({1, 1}, "a1");
  queue.push({2, 1}, "b1");
  queue.push({3, 1}, "c1");
  EXPECT_EQ(queue.pop(), "a1");
  EXPECT_EQ(queue.pop(), "");
  queue.queue.set_aside({1, 1});
  EXPECT_EQ(queue.queue.aside(), 1U);
  EXPECT_EQ(queue.pop(), "b1");
  // Both places are taken, whoever has the slot.
  queue.queue.set_aside({2, 1});
  EXPECT_EQ(queue.pop(), "");
  queue.queue.come_back({1, 1}, queue.running.at("a1"));
  EXPECT_EQ(queue.pop(), "a1");
  queue.end("a1");
  EXPECT_EQ(queue.pop(), "c1");
  queue.end("c1");
  queue.queue.end_aside({2, 1});
  EXPECT_TRUE(queue.queue.is_empty());
}

TEST(FairQueue, WhoWasAsideSavesNothingForLater) {
  NamedQueue queue(roomy(1));
  queue.push({1, 1}, "a1");
  EXPECT_EQ(queue.pop(), "a1");
  queue.queue.set_aside({1, 1});
  for (int i = 0; i < 16; ++i) queue.push({2, 1}, "b" + std::to_string(i));
  queue.run(8);
  queue.queue.come_back({1, 1}, queue.running.at("a1"));
  // They take turns; database 1 is not served first for all the time that it was away.
  size_t of_b = 0;
  for (int i = 0; i < 6; ++i) {
    const std::string name = queue.pop();
    of_b += name == "a1" ? 0 : 1;
    name == "a1" ? queue.park(name) : queue.end(name);
  }
  EXPECT_EQ(of_b, 2U);
}

TEST(FairQueue, ATenantLeavesSlotsToThoseWhoHaveNone) {
  NamedQueue queue(roomy(16));
  for (int i = 0; i < 100; ++i) queue.push(kA, "a" + std::to_string(i));
  size_t ran = 0;
  while (!queue.pop().empty()) ++ran;
  EXPECT_EQ(ran, 6u) << "it leaves twice as many, being the only container";
  queue.push({1, 2}, "sibling");
  EXPECT_EQ(queue.pop(), "sibling");
  for (int i = 0; i < 100; ++i) queue.push(kB, "b" + std::to_string(i));
  while (!queue.pop().empty()) ++ran;
  for (uint64_t i = 3; i < 7; ++i) {
    for (int job = 0; job < 100; ++job) queue.push({i, 1}, std::to_string(i) + "." + std::to_string(job));
    EXPECT_EQ(queue.pop(), std::to_string(i) + ".0");
    while (!queue.pop().empty()) ++ran;
  }
}

TEST(FairQueue, NobodyRunsMoreThanHeMay) {
  FairQueue::Limits limits = roomy(100);
  limits.slots_per_container_max = 2;
  NamedQueue queue(limits);
  for (uint64_t container = 1; container <= 3; ++container) {
    for (int i = 0; i < 3; ++i) queue.push({1, container}, std::to_string(container) + "." + std::to_string(i));
  }
  std::vector<std::string> running;
  for (std::string name = queue.pop(); !name.empty(); name = queue.pop()) running.push_back(name);
  EXPECT_EQ(running.size(), 4u);
  queue.end(running.front());
  EXPECT_NE(queue.pop(), "");
  EXPECT_EQ(queue.pop(), "");
}

TEST(FairQueue, WhenNoPlaceIsLeftWhatHasBegunGoesOn) {
  NamedQueue queue(roomy(1, 2));
  queue.push(kA, "a1");
  queue.push(kA, "a2");
  queue.push(kB, "b");
  EXPECT_EQ(queue.pop(), "a1");
  queue.park("a1");
  EXPECT_EQ(queue.pop(), "b");
  queue.park("b");
  EXPECT_EQ(queue.pop(), "a1") << "there is no place for a2";
  queue.end("a1");
  EXPECT_EQ(queue.pop(), "b");
  queue.end("b");
  EXPECT_EQ(queue.pop(), "a2");
}

TEST(FairQueue, RefusesWhatIsTooMuchAndSaysWhenToComeBack) {
  FairQueue queue({.slots = 1, .places = 1, .waiting_max = 4, .waiting_per_database_max = 3, .waiting_per_container_max = 2});
  EXPECT_TRUE(queue.push({1, 1}));
  EXPECT_TRUE(queue.push({1, 1}));
  const auto of_container = queue.push({1, 1});
  ASSERT_FALSE(of_container);
  EXPECT_EQ(of_container.error().code, ErrorCode::kThrottled);
  EXPECT_EQ(of_container.error().detail, ErrorDetail::kRetryAfter);
  EXPECT_GT(of_container.error().number, 0);
  EXPECT_TRUE(queue.push({1, 2}));
  EXPECT_EQ(queue.push({1, 3}).error().code, ErrorCode::kThrottled);
  const auto last = queue.push(kB);
  EXPECT_TRUE(last);
  const auto of_all = queue.push(kC);
  ASSERT_FALSE(of_all);
  EXPECT_EQ(of_all.error().code, ErrorCode::kUnavailable);
  EXPECT_EQ(of_all.error().detail, ErrorDetail::kRetryAfter);
  queue.remove(kB, *last);
  EXPECT_TRUE(queue.push(kC));
}

TEST(FairQueue, WhatWasLetInAlreadyComesFirstAndIsNotRefused) {
  FairQueue queue({.slots = 1, .places = 1, .waiting_max = 1, .waiting_per_database_max = 1, .waiting_per_container_max = 1});
  const FairQueue::Ticket first = queue.push(kA).value();
  const FairQueue::Ticket continued = queue.push_continued(kA);
  EXPECT_EQ(queue.pop(kSlice), continued);
  queue.end(kA);
  EXPECT_EQ(queue.pop(kSlice), first);
}

TEST(FairQueue, TellsWhoHasTheMostWork) {
  FairQueue queue(roomy(1));
  for (int i = 0; i < 3; ++i) (void)queue.push(kA);
  for (int i = 0; i < 5; ++i) (void)queue.push(kB);
  (void)queue.push(kC);
  queue.pop(kSlice);
  const auto busiest = queue.busiest(2);
  ASSERT_EQ(busiest.size(), 2u);
  EXPECT_EQ(busiest[0].tenant, kB);
  EXPECT_EQ(busiest[0].waiting, 5u);
  EXPECT_EQ(busiest[1].tenant, kA);
  EXPECT_EQ(busiest[1].running, 1u);
}

TEST(FairQueue, SpareWorkLeavesOthersAsManyProcessorsAsItHas) {
  FairQueue::Limits limits = roomy(17);
  limits.processors = 8;
  NamedQueue queue(limits);
  queue.push({1, 1}, "a");
  queue.push({2, 1}, "b");
  EXPECT_EQ(queue.pop(), "a");
  EXPECT_EQ(queue.pop(), "b");
  const auto begun_of = [&](uint64_t database) {
    size_t begun = 0;
    while (queue.queue.begin_spare({database, 1}, kSlice)) ++begun;
    return begun;
  };
  EXPECT_EQ(begun_of(1), 3U);
  EXPECT_EQ(begun_of(2), 2U);
  EXPECT_EQ(queue.queue.spare_too_much(), 0U);
  queue.push({3, 1}, "c");
  queue.push({3, 1}, "d");
  EXPECT_EQ(queue.pop(), "c");
  EXPECT_EQ(queue.pop(), "d");
  EXPECT_EQ(queue.queue.spare_too_much(), 1U);
}

TEST(FairQueue, ALoneDatabaseFillsAllProcessorsWithSpareWork) {
  FairQueue::Limits limits = roomy(17);
  limits.processors = 8;
  NamedQueue queue(limits);
  queue.push({1, 1}, "a");
  EXPECT_EQ(queue.pop(), "a");
  for (int i = 0; i < 7; ++i) EXPECT_TRUE(queue.queue.begin_spare({1, 1}, kSlice));
  EXPECT_FALSE(queue.queue.begin_spare({1, 1}, kSlice));
  for (int i = 0; i < 7; ++i) queue.queue.end_spare({1, 1});
  queue.end("a");
  EXPECT_TRUE(queue.queue.is_empty());
}

TEST(FairQueue, SpareWorkDoesNotBeginWhileSomethingWaits) {
  FairQueue::Limits limits = roomy(1);
  limits.processors = 8;
  NamedQueue queue(limits);
  queue.push({1, 1}, "a");
  queue.push({2, 1}, "b");
  EXPECT_EQ(queue.pop(), "a");
  EXPECT_FALSE(queue.queue.begin_spare({1, 1}, kSlice));
}

}  // namespace partita
