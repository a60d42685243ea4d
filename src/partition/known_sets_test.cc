#include "partition/known_sets.h"

#include <gtest/gtest.h>

#include <utility>

namespace partita {
namespace {

KnownSets::Known set_of(uint64_t documents, Lsn lsn) {
  DocumentSet set;
  for (uint64_t number = 1; number <= documents; ++number) set.add({number});
  return {std::make_shared<const DocumentSet>(std::move(set)), std::make_shared<const DocumentSet>(), lsn, lsn};
}

std::shared_ptr<MemoryRoom> ample_room() { return std::make_shared<MemoryRoom>(1UL << 30); }

}  // namespace

TEST(KnownSets, FindsWhatWasInserted) {
  KnownSets sets(ample_room());
  EXPECT_FALSE(sets.find("a"));
  sets.insert("a", set_of(3, {7}));
  ASSERT_TRUE(sets.find("a"));
  EXPECT_EQ(sets.find("a")->met->size(), 3U);
  EXPECT_FALSE(sets.find("b"));
  sets.forget("a");
  EXPECT_FALSE(sets.find("a"));
}

TEST(KnownSets, KeepsTheNewest) {
  KnownSets sets(ample_room());
  sets.insert("a", set_of(3, {7}));
  sets.insert("a", set_of(2, {6}));
  EXPECT_EQ(sets.find("a")->met->size(), 3U);
  sets.insert("a", set_of(4, {8}));
  EXPECT_EQ(sets.find("a")->met->size(), 4U);
}

TEST(KnownSets, DropsWhatWasNotAskedForLongest) {
  KnownSets sets(ample_room(), 40'000);
  sets.insert("a", set_of(60'000, {1}));
  sets.insert("b", set_of(60'000, {1}));
  sets.insert("c", set_of(60'000, {1}));
  EXPECT_TRUE(sets.find("a"));
  sets.insert("d", set_of(60'000, {1}));
  sets.insert("e", set_of(60'000, {1}));
  EXPECT_TRUE(sets.find("a"));
  EXPECT_FALSE(sets.find("b"));
  sets.insert("large", set_of(1'000'000, {1}));
  EXPECT_FALSE(sets.find("large"));
  EXPECT_TRUE(sets.find("a"));
}

TEST(KnownSets, CountsLoadsInVainUntilTheSetIsKnown) {
  KnownSets sets(ample_room());
  EXPECT_EQ(sets.vain_loads("a"), 0U);
  sets.note_vain_loads("a", 5);
  sets.note_vain_loads("a", 6);
  EXPECT_EQ(sets.vain_loads("a"), 11U);
  EXPECT_FALSE(sets.find("a"));
  sets.insert("a", set_of(3, {7}));
  EXPECT_EQ(sets.vain_loads("a"), 0U);
}

TEST(KnownSets, RemembersABoundedNumberOfDemands) {
  KnownSets sets(ample_room());
  for (int i = 0; i < 1000; ++i) sets.note_vain_loads(std::to_string(i), 1);
  EXPECT_EQ(sets.vain_loads("0"), 0U);
  EXPECT_EQ(sets.vain_loads("999"), 1U);
}

TEST(KnownSets, SharesItsRoomWithOthers) {
  const auto room = std::make_shared<MemoryRoom>(20'000);
  KnownSets one(room);
  one.insert("a", set_of(60'000, {1}));
  one.insert("b", set_of(60'000, {1}));
  EXPECT_LT(room->left(), 5'000U);
  {
    KnownSets other(room);
    other.insert("a", set_of(60'000, {1}));
    EXPECT_FALSE(other.find("a"));
    one.insert("c", set_of(60'000, {1}));
    EXPECT_FALSE(one.find("a"));
    EXPECT_TRUE(one.find("c"));
    one.forget("b");
    other.insert("a", set_of(60'000, {1}));
    EXPECT_TRUE(other.find("a"));
  }
  one.forget("c");
  EXPECT_EQ(room->left(), 20'000U);
}

}  // namespace partita
