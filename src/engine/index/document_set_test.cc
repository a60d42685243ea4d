#include "engine/index/document_set.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

namespace partita {
namespace {

// Whatever the order and however dense.
void expect_as_a_plain_set(uint64_t numbers_max, size_t count) {
  std::mt19937_64 random(count);
  std::set<uint64_t> plain;
  DocumentSet packed;
  for (size_t i = 0; i < count; ++i) {
    const uint64_t number = random() % numbers_max;
    plain.insert(number);
    packed.add({number});
  }
  EXPECT_EQ(packed.size(), plain.size());
  EXPECT_TRUE(std::ranges::equal(packed.numbers(), plain, {}, &DocumentNumber::value));
  for (const uint64_t number : plain) {
    ASSERT_TRUE(packed.contains({number})) << number;
    ASSERT_EQ(packed.contains({number + 1}), plain.contains(number + 1)) << number + 1;
  }
}

}  // namespace

TEST(DocumentSet, HasWhatWasAdded) {
  expect_as_a_plain_set(100, 50);
  expect_as_a_plain_set(100'000, 30'000);
  expect_as_a_plain_set(uint64_t{1} << 50, 2'000);
  EXPECT_FALSE(DocumentSet().contains({1}));
}

TEST(DocumentSet, TakesOneBitForEachNumberWhereTheyAreDense) {
  DocumentSet set;
  for (uint64_t number = 1; number <= 1'000'000; number += 2) set.add({number});
  EXPECT_EQ(set.size(), 500'000U);
  EXPECT_LT(set.bytes(), 140'000U);
}

TEST(DocumentSet, TakesLittleWhereTheyAreRare) {
  DocumentSet set;
  for (uint64_t number = 1; number <= 10'000'000; number += 1'000) set.add({number});
  EXPECT_LT(set.bytes(), 60'000U);
}

}  // namespace partita
