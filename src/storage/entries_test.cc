#include "storage/memtable/entry_runs.h"
#include "storage/memtable/entry_tree.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <deque>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace partita {
namespace {

std::string make_entry(std::string_view user_key, uint64_t trailer) {
  std::string entry;
  for (size_t size = user_key.size() + EntryKey::kTrailerBytes; true; size >>= 7) {
    entry += static_cast<char>(size < 128 ? size : (size & 127) | 128);
    if (size < 128) break;
  }
  entry += user_key;
  entry.append(reinterpret_cast<const char*>(&trailer), sizeof trailer);
  return entry;
}

struct InOrder {
  bool operator()(const char* left, const char* right) const { return compare(EntryKey::of(left), EntryKey::of(right)) < 0; }
};

// Owns the entries and knows what must be there.
template <typename Kind>
class Model {
 public:
  void insert(std::string_view user_key, uint64_t trailer) {
    entries_.push_back(make_entry(user_key, trailer));
    if (expected_.insert(entries_.back().data()).second) {
      kept_.insert(entries_.back().data());
    } else {
      entries_.pop_back();
    }
  }

  void expect_equal() {
    typename Kind::Cursor cursor(kept_);
    cursor.seek_first();
    for (const char* entry : expected_) {
      ASSERT_TRUE(cursor.valid());
      ASSERT_EQ(cursor.entry(), entry);
      cursor.next();
    }
    EXPECT_FALSE(cursor.valid());
    cursor.seek_last();
    for (auto entry = expected_.rbegin(); entry != expected_.rend(); ++entry) {
      ASSERT_TRUE(cursor.valid());
      ASSERT_EQ(cursor.entry(), *entry);
      cursor.previous();
    }
    EXPECT_FALSE(cursor.valid());
  }

  void expect_seek(std::string_view user_key, uint64_t trailer) {
    const std::string target = make_entry(user_key, trailer);
    typename Kind::Cursor cursor(kept_);
    cursor.seek(EntryKey::of(target.data()));
    const auto expected = expected_.lower_bound(target.data());
    ASSERT_EQ(cursor.valid(), expected != expected_.end());
    if (!cursor.valid()) return;
    ASSERT_EQ(cursor.entry(), *expected);
    cursor.previous();
    ASSERT_EQ(cursor.valid(), expected != expected_.begin());
    if (cursor.valid()) ASSERT_EQ(cursor.entry(), *std::prev(expected));
  }

  Kind& kept() { return kept_; }

 private:
  Kind kept_;
  std::deque<std::string> entries_;
  std::set<const char*, InOrder> expected_;
};

// Keys of every kind that share much, little, or everything with their neighbours.
std::string random_key(std::mt19937_64& random) {
  static constexpr std::array<std::string_view, 4> kPrefixes = {"", "partition", "partition\0\0\0\1path-hash", "p"};
  std::string key(kPrefixes[random() % kPrefixes.size()]);
  const size_t bytes = random() % 20;
  const uint64_t alphabet = random() % 2 == 0 ? 2 : 256;
  for (size_t i = 0; i < bytes; ++i) key += static_cast<char>(random() % alphabet);
  return key;
}

// What memtables keep their entries in: the same is expected of both.
template <typename Kind>
class Entries : public testing::Test {};
using Kinds = testing::Types<EntryTree, EntryRuns>;
TYPED_TEST_SUITE(Entries, Kinds);

TYPED_TEST(Entries, HoldNothingAtFirst) {
  TypeParam entries;
  typename TypeParam::Cursor cursor(entries);
  cursor.seek_first();
  EXPECT_FALSE(cursor.valid());
  cursor.seek_last();
  EXPECT_FALSE(cursor.valid());
  const std::string target = make_entry("a", 1);
  cursor.seek(EntryKey::of(target.data()));
  EXPECT_FALSE(cursor.valid());
}

std::string number_key(uint64_t number) {
  const uint64_t key = __builtin_bswap64(number);
  return {reinterpret_cast<const char*>(&key), sizeof key};
}

TYPED_TEST(Entries, PutTheNewestOfOneUserKeyFirst) {
  Model<TypeParam> model;
  for (uint64_t trailer = 0; trailer < 1000; ++trailer) model.insert("same", trailer * 7919 % 1000);
  model.expect_equal();
  model.expect_seek("same", 500);
  model.expect_seek("same", 5000);
}

TYPED_TEST(Entries, SortAscendingDescendingAndInterleavedKeys) {
  for (const uint64_t step : {uint64_t{1}, uint64_t{9999}, uint64_t{5003}}) {
    Model<TypeParam> model;
    for (uint64_t i = 0; i < 10'000; ++i) model.insert(number_key(i * step % 10'000), i);
    model.expect_equal();
  }
}

TYPED_TEST(Entries, AgreeWithASortedSetOnRandomKeys) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    std::mt19937_64 random(seed);
    Model<TypeParam> model;
    const uint64_t pause = uint64_t{1} << (seed % 14);  // a reader comes in between, often or seldom
    for (uint64_t i = 0; i < 10'000; ++i) {
      model.insert(random_key(random), random() % 4);
      if (i % pause == 0) model.expect_seek(random_key(random), random() % 5);
    }
    model.expect_equal();
    for (int i = 0; i < 1000; ++i) model.expect_seek(random_key(random), random() % 5);
  }
}

TYPED_TEST(Entries, KnowAboutHowManyLieBetweenTwoKeys) {
  Model<TypeParam> model;
  const auto count_between = [&](uint64_t first, uint64_t last) {
    const std::string from = make_entry(number_key(first), UINT64_MAX);
    const std::string to = make_entry(number_key(last), UINT64_MAX);
    return static_cast<double>(model.kept().count_between(EntryKey::of(from.data()), EntryKey::of(to.data())));
  };
  EXPECT_EQ(count_between(0, 5), 0);
  std::mt19937_64 random(3);
  for (uint64_t i = 0; i < 20'000; ++i) model.insert(number_key(random() % 1'000'000'000), i);
  EXPECT_EQ(model.kept().size(), 20'000U);
  double last = 0;
  for (uint64_t tenth = 1; tenth < 10; ++tenth) {
    const double count = count_between(0, tenth * 100'000'000);
    EXPECT_GE(count, last);
    EXPECT_NEAR(count, static_cast<double>(tenth) * 2000, 2000);
    last = count;
  }
  EXPECT_EQ(count_between(0, 0), 0);
  EXPECT_EQ(count_between(5, 4), 0);
  EXPECT_NEAR(count_between(0, UINT64_MAX), 20'000, 1);
}

TYPED_TEST(Entries, ReadKeysWhoseLengthTakesTwoBytes) {
  Model<TypeParam> model;
  for (uint64_t i = 0; i < 500; ++i) model.insert(std::string(100 + i, 'x'), i);
  model.expect_equal();
}

// Readers run while the writer inserts. What was complete when a reader began must be found, in order.
TYPED_TEST(Entries, ShowReadersAllThatWasThereWhenTheyBegan) {
  constexpr uint64_t kEntries = 60'000;
  std::vector<std::string> entries;
  std::mt19937_64 random(7);
  for (uint64_t i = 0; i < kEntries; ++i) {
    entries.push_back(make_entry("shared-prefix" + number_key(random() >> (i % 3 == 0 ? 0 : 40)), i));
  }
  TypeParam kept;
  std::atomic<uint64_t> complete{0};
  std::atomic<uint64_t> failures{0};
  const auto read = [&](uint64_t seed) {
    std::mt19937_64 choice(seed);
    for (uint64_t known = 0; known < kEntries;) {
      known = complete.load(std::memory_order_acquire);
      if (known == 0) continue;
      const char* wanted = entries[choice() % known].data();
      typename TypeParam::Cursor cursor(kept);
      cursor.seek(EntryKey::of(wanted));
      if (!cursor.valid() || cursor.entry() != wanted) failures.fetch_add(1);
      for (int steps = 0; cursor.valid() && steps < 40; ++steps) {
        const char* before = cursor.entry();
        (seed % 2 == 0) ? cursor.next() : cursor.previous();
        if (!cursor.valid()) break;
        const bool is_ordered = seed % 2 == 0 ? InOrder{}(before, cursor.entry()) : InOrder{}(cursor.entry(), before);
        if (!is_ordered) failures.fetch_add(1);
      }
    }
  };
  std::vector<std::thread> readers;
  for (uint64_t seed = 1; seed <= 3; ++seed) readers.emplace_back(read, seed);
  for (uint64_t i = 0; i < kEntries; ++i) {
    kept.insert(entries[i].data());
    complete.store(i + 1, std::memory_order_release);
  }
  for (std::thread& reader : readers) reader.join();
  EXPECT_EQ(failures.load(), 0U);
}

// Their words are equal for long, and end at different places.
TYPED_TEST(Entries, SortKeysThatShareThousandsOfBytes) {
  Model<TypeParam> model;
  std::mt19937_64 random(5);
  for (uint64_t i = 0; i < 300; ++i) model.insert(std::string(3000 + random() % 20, '\0') + random_key(random), i);
  model.expect_equal();
}

// A cursor that changes its direction goes on from where it stands, wherever its neighbours are kept: readers come after few and
// after many entries.
TYPED_TEST(Entries, AreWalkedInBothDirections) {
  constexpr int64_t kEntries = 10'000;
  Model<TypeParam> model;
  for (uint64_t i = 0; i < kEntries; ++i) {
    model.insert(number_key(i * 7919 % kEntries), 1);
    if (i % 3000 == 0 || i % 3000 == 100) model.expect_seek(number_key(i), 1);
  }
  std::mt19937_64 random(11);
  typename TypeParam::Cursor cursor(model.kept());
  cursor.seek_last();
  for (int64_t at = kEntries - 1; at > 0;) {
    const bool goes_on = at < kEntries - 1 && random() % 3 == 0;
    goes_on ? cursor.next() : cursor.previous();
    at += goes_on ? 1 : -1;
    ASSERT_TRUE(cursor.valid());
    ASSERT_EQ(EntryKey::of(cursor.entry()).user_key(), number_key(static_cast<uint64_t>(at)));
  }
  cursor.previous();
  EXPECT_FALSE(cursor.valid());
}

}  // namespace
}  // namespace partita
