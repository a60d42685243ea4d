#include "storage/entry_tree.h"

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

// Owns the entries of a tree and knows what must be in it.
class Model {
 public:
  void insert(std::string_view user_key, uint64_t trailer) {
    entries_.push_back(make_entry(user_key, trailer));
    if (expected_.insert(entries_.back().data()).second) {
      tree_.insert(entries_.back().data());
    } else {
      entries_.pop_back();
    }
  }

  void expect_equal() const {
    EntryTree::Cursor cursor(tree_);
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

  void expect_seek(std::string_view user_key, uint64_t trailer) const {
    const std::string target = make_entry(user_key, trailer);
    EntryTree::Cursor cursor(tree_);
    cursor.seek(EntryKey::of(target.data()));
    const auto expected = expected_.lower_bound(target.data());
    ASSERT_EQ(cursor.valid(), expected != expected_.end());
    if (!cursor.valid()) return;
    ASSERT_EQ(cursor.entry(), *expected);
    cursor.previous();
    ASSERT_EQ(cursor.valid(), expected != expected_.begin());
    if (cursor.valid()) ASSERT_EQ(cursor.entry(), *std::prev(expected));
  }

  const EntryTree& tree() const { return tree_; }

 private:
  EntryTree tree_;
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

TEST(EntryTree, HoldsNothingAtFirst) {
  const EntryTree tree;
  EntryTree::Cursor cursor(tree);
  cursor.seek_first();
  EXPECT_FALSE(cursor.valid());
  cursor.seek_last();
  EXPECT_FALSE(cursor.valid());
  const std::string target = make_entry("a", 1);
  cursor.seek(EntryKey::of(target.data()));
  EXPECT_FALSE(cursor.valid());
}

TEST(EntryTree, PutsTheNewestOfOneUserKeyFirst) {
  Model model;
  for (uint64_t trailer = 0; trailer < 1000; ++trailer) model.insert("same", trailer * 7919 % 1000);
  model.expect_equal();
  model.expect_seek("same", 500);
  model.expect_seek("same", 5000);
}

TEST(EntryTree, SortsAscendingDescendingAndInterleavedKeys) {
  for (const uint64_t step : {uint64_t{1}, uint64_t{9999}, uint64_t{5003}}) {
    Model model;
    for (uint64_t i = 0; i < 10'000; ++i) {
      uint64_t key = __builtin_bswap64(i * step % 10'000);
      model.insert({reinterpret_cast<const char*>(&key), sizeof key}, i);
    }
    model.expect_equal();
  }
}

TEST(EntryTree, AgreesWithASortedSetOnRandomKeys) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    std::mt19937_64 random(seed);
    Model model;
    for (int i = 0; i < 4000; ++i) model.insert(random_key(random), random() % 4);
    model.expect_equal();
    for (int i = 0; i < 1000; ++i) model.expect_seek(random_key(random), random() % 5);
  }
}

TEST(EntryTree, KnowsAboutWhichPartOfItsEntriesLiesBeforeAKey) {
  Model model;
  const auto share_before = [&](uint64_t number) {
    const uint64_t key = __builtin_bswap64(number);
    const std::string target = make_entry({reinterpret_cast<const char*>(&key), sizeof key}, UINT64_MAX);
    return model.tree().share_before(EntryKey::of(target.data()));
  };
  EXPECT_EQ(share_before(5), 0.0);
  std::mt19937_64 random(3);
  for (uint64_t i = 0; i < 20'000; ++i) {
    const uint64_t key = __builtin_bswap64(random() % 1'000'000'000);
    model.insert({reinterpret_cast<const char*>(&key), sizeof key}, i);
  }
  EXPECT_EQ(model.tree().size(), 20'000U);
  double last = 0;
  for (uint64_t tenth = 1; tenth < 10; ++tenth) {
    const double share = share_before(tenth * 100'000'000);
    EXPECT_GE(share, last);
    EXPECT_NEAR(share, static_cast<double>(tenth) / 10, 0.1);
    last = share;
  }
  EXPECT_EQ(share_before(0), 0.0);
  EXPECT_NEAR(share_before(UINT64_MAX), 1.0, 1e-9);
}

TEST(EntryTree, ReadsKeysWhoseLengthTakesTwoBytes) {
  Model model;
  for (uint64_t i = 0; i < 500; ++i) model.insert(std::string(100 + i, 'x'), i);
  model.expect_equal();
}

// Readers run while the writer inserts. What was complete when a reader began must be found, in order.
TEST(EntryTree, ShowsReadersAllThatWasThereWhenTheyBegan) {
  constexpr uint64_t kEntries = 60'000;
  std::vector<std::string> entries;
  std::mt19937_64 random(7);
  for (uint64_t i = 0; i < kEntries; ++i) {
    uint64_t key = __builtin_bswap64(random() >> (i % 3 == 0 ? 0 : 40));
    entries.push_back(make_entry("shared-prefix" + std::string(reinterpret_cast<const char*>(&key), sizeof key), i));
  }
  EntryTree tree;
  std::atomic<uint64_t> complete{0};
  std::atomic<uint64_t> failures{0};
  const auto read = [&](uint64_t seed) {
    std::mt19937_64 choice(seed);
    for (uint64_t known = 0; known < kEntries;) {
      known = complete.load(std::memory_order_acquire);
      if (known == 0) continue;
      const char* wanted = entries[choice() % known].data();
      EntryTree::Cursor cursor(tree);
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
    tree.insert(entries[i].data());
    complete.store(i + 1, std::memory_order_release);
  }
  for (std::thread& reader : readers) reader.join();
  EXPECT_EQ(failures.load(), 0U);
}

}  // namespace
}  // namespace partita
