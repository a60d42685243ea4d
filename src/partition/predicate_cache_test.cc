#include "partition/predicate_cache.h"

#include <gtest/gtest.h>

#include <utility>

namespace partita {
namespace {

PredicateCache::Matches matches_of(uint64_t documents, Lsn lsn) {
  DocumentSet set;
  for (uint64_t number = 1; number <= documents; ++number) set.add({number});
  return {std::make_shared<const DocumentSet>(std::move(set)), std::make_shared<const DocumentSet>(), lsn, lsn};
}

std::shared_ptr<MemoryBudget> ample_budget() { return std::make_shared<MemoryBudget>(1UL << 30); }

}  // namespace

TEST(PredicateCache, FindsWhatWasInserted) {
  PredicateCache cache(ample_budget());
  EXPECT_FALSE(cache.find("a"));
  cache.insert("a", matches_of(3, {7}));
  ASSERT_TRUE(cache.find("a"));
  EXPECT_EQ(cache.find("a")->documents->size(), 3U);
  EXPECT_FALSE(cache.find("b"));
  cache.forget("a");
  EXPECT_FALSE(cache.find("a"));
}

TEST(PredicateCache, KeepsTheNewest) {
  PredicateCache cache(ample_budget());
  cache.insert("a", matches_of(3, {7}));
  cache.insert("a", matches_of(2, {6}));
  EXPECT_EQ(cache.find("a")->documents->size(), 3U);
  cache.insert("a", matches_of(4, {8}));
  EXPECT_EQ(cache.find("a")->documents->size(), 4U);
}

TEST(PredicateCache, DropsWhatWasNotAskedForLongest) {
  PredicateCache cache(ample_budget(), 40'000);
  cache.insert("a", matches_of(60'000, {1}));
  cache.insert("b", matches_of(60'000, {1}));
  cache.insert("c", matches_of(60'000, {1}));
  EXPECT_TRUE(cache.find("a"));
  cache.insert("d", matches_of(60'000, {1}));
  cache.insert("e", matches_of(60'000, {1}));
  EXPECT_TRUE(cache.find("a"));
  EXPECT_FALSE(cache.find("b"));
  cache.insert("large", matches_of(1'000'000, {1}));
  EXPECT_FALSE(cache.find("large"));
  EXPECT_TRUE(cache.find("a"));
}

TEST(PredicateCache, CountsLoadsInVainUntilMatchesAreCached) {
  PredicateCache cache(ample_budget());
  EXPECT_EQ(cache.vain_loads("a"), 0U);
  cache.note_vain_loads("a", 5);
  cache.note_vain_loads("a", 6);
  EXPECT_EQ(cache.vain_loads("a"), 11U);
  EXPECT_FALSE(cache.find("a"));
  cache.insert("a", matches_of(3, {7}));
  EXPECT_EQ(cache.vain_loads("a"), 0U);
}

TEST(PredicateCache, KeepsABoundedNumberOfPredicates) {
  PredicateCache cache(ample_budget());
  for (int i = 0; i < 1000; ++i) cache.note_vain_loads(std::to_string(i), 1);
  EXPECT_EQ(cache.vain_loads("0"), 0U);
  EXPECT_EQ(cache.vain_loads("999"), 1U);
}

TEST(PredicateCache, SharesItsMemoryWithOthers) {
  const auto budget = std::make_shared<MemoryBudget>(20'000);
  PredicateCache one(budget);
  one.insert("a", matches_of(60'000, {1}));
  one.insert("b", matches_of(60'000, {1}));
  EXPECT_LT(budget->left(), 5'000U);
  {
    PredicateCache other(budget);
    other.insert("a", matches_of(60'000, {1}));
    EXPECT_FALSE(other.find("a"));
    one.insert("c", matches_of(60'000, {1}));
    EXPECT_FALSE(one.find("a"));
    EXPECT_TRUE(one.find("c"));
    one.forget("b");
    other.insert("a", matches_of(60'000, {1}));
    EXPECT_TRUE(other.find("a"));
  }
  one.forget("c");
  EXPECT_EQ(budget->left(), 20'000U);
}

}  // namespace partita
