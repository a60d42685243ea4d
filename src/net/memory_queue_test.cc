#include "net/memory_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <list>
#include <memory>
#include <string>
#include <vector>

namespace partita::net {
namespace {

using Outcome = MemoryQueue::Outcome;

class MemoryQueueTest : public testing::Test {
 protected:
  struct Taker {
    Taker(MemoryQueueTest& test, uint64_t tenant, size_t bytes, std::string name)
        : loan(&test.memory_, tenant), waiter{loan, bytes, [&test, name] { test.granted_.push_back(name); }} {}
    MemoryLoan loan;
    MemoryQueue::Waiter waiter;
  };

  Outcome take(uint64_t tenant, size_t bytes, std::string name) {
    takers_.emplace_back(*this, tenant, bytes, std::move(name));
    return queue_.take(takers_.back().waiter);
  }
  void give_back(MemoryLoan& loan) {
    loan.shrink_to(0);
    queue_.serve();
  }

  FairMemory memory_{1000};
  MemoryQueue queue_{&memory_, {.waiters_max = 4, .waiters_per_tenant_max = 3}};
  std::vector<std::string> granted_;
  std::list<Taker> takers_;
};

TEST_F(MemoryQueueTest, GivesWhatOthersGiveBackInTheOrderOfArrival) {
  MemoryLoan first(&memory_, 1);
  ASSERT_TRUE(first.grow_to(700));
  EXPECT_EQ(take(1, 600, "a"), Outcome::kWaiting);
  EXPECT_EQ(take(1, 100, "b"), Outcome::kWaiting);
  EXPECT_EQ(take(1, 10, "c"), Outcome::kWaiting);  // there is so much, but it would overtake
  queue_.serve();
  EXPECT_THAT(granted_, testing::IsEmpty());
  give_back(first);
  EXPECT_THAT(granted_, testing::ElementsAre("a", "b", "c"));
  EXPECT_EQ(memory_.taken(), 710U);
  EXPECT_EQ(take(1, 10, "d"), Outcome::kGranted);
}

TEST_F(MemoryQueueTest, ServesTheTenantThatHoldsLeastFirst) {
  MemoryLoan large(&memory_, 1);
  MemoryLoan small(&memory_, 2);
  MemoryLoan last(&memory_, 3);
  ASSERT_TRUE(large.grow_to(500));
  ASSERT_TRUE(small.grow_to(300));
  ASSERT_TRUE(last.grow_to(140));
  EXPECT_EQ(take(1, 150, "large"), Outcome::kWaiting);
  EXPECT_EQ(take(2, 100, "small"), Outcome::kWaiting);
  EXPECT_EQ(take(4, 100, "new"), Outcome::kWaiting);
  give_back(last);
  EXPECT_THAT(granted_, testing::ElementsAre("new"));
  give_back(small);
  EXPECT_THAT(granted_, testing::ElementsAre("new", "small"));
}

TEST_F(MemoryQueueTest, ANewTenantNeedNotWaitBehindAnother) {
  MemoryLoan first(&memory_, 1);
  ASSERT_TRUE(first.grow_to(700));
  EXPECT_EQ(take(1, 100, "a"), Outcome::kWaiting);
  EXPECT_EQ(take(2, 100, "b"), Outcome::kGranted);
}

TEST_F(MemoryQueueTest, RefusesWhatWouldWaitForLong) {
  MemoryLoan first(&memory_, 1);
  ASSERT_TRUE(first.grow_to(700));
  EXPECT_EQ(take(1, 751, "too large for ever"), Outcome::kRefused);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(take(1, 750, "waits"), Outcome::kWaiting);
  EXPECT_EQ(take(1, 750, "one too many of its tenant"), Outcome::kRefused);
  EXPECT_EQ(take(2, 750, "another's"), Outcome::kWaiting);
  EXPECT_EQ(take(3, 750, "one too many"), Outcome::kRefused);
}

TEST_F(MemoryQueueTest, WhoGivesUpLeavesTheNextOnes) {
  MemoryLoan first(&memory_, 1);
  ASSERT_TRUE(first.grow_to(700));
  EXPECT_EQ(take(1, 700, "a"), Outcome::kWaiting);
  EXPECT_EQ(take(1, 40, "b"), Outcome::kWaiting);
  EXPECT_TRUE(queue_.give_up(takers_.front().waiter));
  EXPECT_THAT(granted_, testing::ElementsAre("b"));
  EXPECT_FALSE(queue_.give_up(takers_.back().waiter));
  EXPECT_EQ(memory_.taken(), 740U);
}

TEST(MemoryQueue, WithoutALimitGivesWhatIsWanted) {
  MemoryQueue queue(nullptr);
  MemoryLoan loan;
  MemoryQueue::Waiter waiter{loan, 1UL << 40, [] {}};
  EXPECT_EQ(queue.take(waiter), Outcome::kGranted);
}

}  // namespace
}  // namespace partita::net
