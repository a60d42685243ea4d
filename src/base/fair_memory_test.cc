#include "base/fair_memory.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace partita {
namespace {

TEST(FairMemory, GivesOneTenantMostAndLeavesTheRestToOthers) {
  FairMemory memory(1000);
  MemoryLoan greedy(&memory, 1);
  size_t got = 0;
  while (greedy.grow_to(got + 10)) got += 10;
  EXPECT_EQ(got, 750U);
  EXPECT_EQ(memory.largest_share(), 750U);
  EXPECT_EQ(memory.held(1), 750U);

  MemoryLoan other(&memory, 2);
  EXPECT_TRUE(other.grow_to(180));
  EXPECT_FALSE(other.grow_to(190));  // a quarter of what was left is for a third one
  EXPECT_FALSE(greedy.grow_to(got + 10));
  MemoryLoan third(&memory, 3);
  EXPECT_TRUE(third.grow_to(50));
}

TEST(FairMemory, MakesTenantsEqualAsTheyGiveBack) {
  FairMemory memory(1000);
  MemoryLoan greedy(&memory, 1);
  ASSERT_TRUE(greedy.grow_to(750));
  MemoryLoan other(&memory, 2);
  size_t got = 0;
  for (size_t kept = 750; kept > 400; kept -= 10) {
    greedy.shrink_to(kept);
    while (other.grow_to(got + 10)) got += 10;
    if (greedy.grow_to(kept + 10)) break;  // what it gave back is the other's
  }
  EXPECT_NEAR(static_cast<double>(got), 1000 * 3 / 7.0, 20);
  EXPECT_NEAR(static_cast<double>(greedy.bytes()), 1000 * 3 / 7.0, 20);
}

TEST(FairMemory, GivesOfTheReserveWhateverTheTenantHolds) {
  FairMemory memory(1000);
  MemoryLoan greedy(&memory, 1);
  ASSERT_TRUE(greedy.grow_to(750));
  MemoryLoan outcome(&memory, 1);
  EXPECT_FALSE(outcome.grow_to(100));
  EXPECT_FALSE(outcome.grow_to(130, FairMemory::Claim::kReserve));  // more than half of it
  EXPECT_TRUE(outcome.grow_to(100, FairMemory::Claim::kReserve));
  MemoryLoan other(&memory, 2);
  EXPECT_TRUE(other.grow_to(100));
}

TEST(FairMemory, CountsAllLoansOfATenantTogether) {
  FairMemory memory(1000);
  std::vector<MemoryLoan> loans;
  for (int i = 0; i < 20; ++i) {
    MemoryLoan loan(&memory, 7);
    if (loan.grow_to(100)) loans.push_back(std::move(loan));
  }
  EXPECT_EQ(loans.size(), 7U);
  EXPECT_EQ(memory.taken(), 700U);
  loans.clear();
  EXPECT_EQ(memory.taken(), 0U);
}

TEST(FairMemory, TakesNothingWhenItRefuses) {
  FairMemory memory(100);
  MemoryLoan loan(&memory, 1);
  EXPECT_FALSE(loan.grow_to(101));
  EXPECT_FALSE(loan.grow_to(100));  // not even at once
  EXPECT_EQ(loan.bytes(), 0U);
  EXPECT_EQ(memory.taken(), 0U);
  EXPECT_TRUE(loan.grow_to(50));
  loan.shrink_to(20);
  EXPECT_EQ(memory.taken(), 20U);
}

TEST(FairMemory, NeverGivesMoreThanItHasWhoeverComesAtOnce) {
  FairMemory memory(1000);
  std::atomic<bool> is_over = false;
  std::vector<std::thread> threads;
  for (uint64_t tenant = 0; tenant < 4; ++tenant) {
    threads.emplace_back([&memory, &is_over, tenant] {
      for (int i = 0; i < 10'000; ++i) {
        MemoryLoan loan(&memory, tenant);
        if (!loan.grow_to(300)) continue;
        if (loan.bytes() != 300) is_over = true;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_FALSE(is_over);
  EXPECT_EQ(memory.taken(), 0U);
}

TEST(MemoryLoan, WithNothingToShareGetsWhatItWants) {
  MemoryLoan loan;
  EXPECT_TRUE(loan.grow_to(1UL << 40));
}

}  // namespace
}  // namespace partita
