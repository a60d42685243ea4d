#include "storage/row_cache.h"

#include "storage/test_store.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace partita {
namespace {

class RowCacheTest : public testing::Test {
 protected:
  static RowCache::RowHash row(std::string_view key) { return RowCache::hash_of(Family::kItems, key); }
  void read_from_store(std::string_view key, std::string_view value) {
    cache_.insert(row(key), key, value, cache_.version(row(key)));
  }
  std::string found(std::string_view key) {
    std::string value;
    return cache_.find(row(key), key, value) ? value : "nothing";
  }
  void write(std::string_view key) {
    const RowCache::RowHash rows[] = {row(key)};
    cache_.begin_write(rows, false);
    cache_.end_write(rows, false);
  }

  RowCache cache_{1 << 20};
};

}  // namespace

TEST_F(RowCacheTest, FindsWhatWasRead) {
  EXPECT_EQ(found("a"), "nothing");
  read_from_store("a", "1");
  EXPECT_EQ(found("a"), "1");
  EXPECT_NE(row("a"), RowCache::hash_of(Family::kKeys, "a")) << "families are apart";
}

TEST_F(RowCacheTest, ForgetsWhatIsWritten) {
  read_from_store("a", "1");
  read_from_store("b", "1");
  write("a");
  EXPECT_EQ(found("a"), "nothing");
  EXPECT_EQ(found("b"), "1");
}

TEST_F(RowCacheTest, KnowsNothingOfARowWhileItIsWritten) {
  read_from_store("a", "1");
  const RowCache::RowHash rows[] = {row("a")};
  cache_.begin_write(rows, false);
  EXPECT_EQ(found("a"), "nothing");
  read_from_store("a", "1");
  EXPECT_EQ(found("a"), "nothing") << "it may have been read before the write became visible";
  cache_.end_write(rows, false);
  read_from_store("a", "2");
  EXPECT_EQ(found("a"), "2");
}

TEST_F(RowCacheTest, IgnoresWhatWasReadBeforeAWrite) {
  const RowCache::Version before = cache_.version(row("a"));
  write("a");
  cache_.insert(row("a"), "a", "1", before);
  EXPECT_EQ(found("a"), "nothing");
}

TEST_F(RowCacheTest, ForgetsEverythingWhenARangeIsErased) {
  read_from_store("a", "1");
  cache_.begin_write({}, true);
  EXPECT_EQ(found("a"), "nothing");
  cache_.end_write({}, true);
  EXPECT_EQ(found("a"), "nothing");
  read_from_store("a", "2");
  EXPECT_EQ(found("a"), "2");
}

TEST_F(RowCacheTest, StaysWithinItsBytesAndKeepsWhatIsReadOften) {
  const std::string value(1000, 'x');
  read_from_store("often", value);
  size_t kept = 0;
  for (int i = 0; i < 5000; ++i) {
    read_from_store("once " + std::to_string(i), value);
    EXPECT_EQ(found("often"), value);
  }
  for (int i = 0; i < 5000; ++i) kept += found("once " + std::to_string(i)) == value ? 1 : 0;
  EXPECT_GT(kept, 500u);
  EXPECT_LT(kept, (1u << 20) / 1000);
}

// Rows that share a wished place stand behind each other and move up when one of them goes.
TEST_F(RowCacheTest, FindsAllOthersAfterSomeAreForgotten) {
  constexpr int kRows = 3000;
  const auto key = [](int i) { return "row " + std::to_string(i); };
  for (int i = 0; i < kRows; ++i) read_from_store(key(i), std::to_string(i));
  for (const int step : {7, 3, 2}) {
    for (int i = 0; i < kRows; i += step) write(key(i));
    for (int i = 0; i < kRows; ++i) {
      const bool is_forgotten = i % 7 == 0 || (step <= 3 && i % 3 == 0) || (step == 2 && i % 2 == 0);
      ASSERT_EQ(found(key(i)), is_forgotten ? "nothing" : std::to_string(i)) << step;
    }
  }
}

TEST_F(RowCacheTest, LeavesOutWhatIsTooLarge) {
  read_from_store("large", std::string(100'000, 'x'));
  EXPECT_EQ(found("large"), "nothing");
}

// One writer counts up; whoever reads never sees the count go back.
TEST(StoreWithRowCache, ReadersNeverGoBackInTime) {
  constexpr int kWrites = 3000;
  TestStore store;
  std::atomic<bool> is_done = false;
  std::vector<std::thread> readers;
  for (int i = 0; i < 2; ++i) {
    readers.emplace_back([&] {
      int seen = 0;
      std::string value;
      while (!is_done) {
        const Result<bool> is_known = store->get(Family::kItems, "count", value);
        if (!is_known || !*is_known) continue;
        EXPECT_GE(std::stoi(value), seen);
        seen = std::stoi(value);
      }
    });
  }
  std::string value;
  for (int i = 1; i <= kWrites; ++i) {
    WriteBatch batch(*store);
    batch.put(Family::kItems, "count", std::to_string(i));
    ASSERT_TRUE(store->apply(batch));
    ASSERT_EQ(store->get(Family::kItems, "count", value), true);
    ASSERT_EQ(value, std::to_string(i));
  }
  is_done = true;
  for (std::thread& reader : readers) reader.join();
}

TEST(StoreWithRowCache, ErasedRowsAreGone) {
  TestStore store;
  std::string value;
  for (const bool is_range : {false, true}) {
    WriteBatch batch(*store);
    batch.put(Family::kKeys, "a", "1");
    ASSERT_TRUE(store->apply(batch));
    ASSERT_EQ(store->get(Family::kKeys, "a", value), true);
    ASSERT_EQ(store->get(Family::kKeys, "a", value), true) << "now from the cache";
    const std::shared_ptr<const Snapshot> before = store->snapshot();
    batch.clear();
    if (is_range) {
      batch.erase_range(Family::kKeys, "a", "b");
    } else {
      batch.erase(Family::kKeys, "a");
    }
    ASSERT_TRUE(store->apply(batch));
    EXPECT_EQ(store->get(Family::kKeys, "a", value), false);
    EXPECT_EQ(store->get(Family::kKeys, "a", value, before.get()), true);
  }
}

}  // namespace partita
