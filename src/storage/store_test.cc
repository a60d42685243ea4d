#include "storage/store.h"

#include "storage/test_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <thread>

namespace partita {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

void put(Store& store, Family family, std::string_view key, std::string_view value) {
  WriteBatch batch(store);
  batch.put(family, key, value);
  ASSERT_TRUE(store.apply(batch));
}

std::string get(const Store& store, Family family, std::string_view key, const Snapshot* at = nullptr) {
  std::string value = "what was here before";
  const Result<bool> found = store.get(family, key, value, at);
  if (!found) return "error: " + found.error().message;
  return *found ? value : "nothing";
}

std::string keys_forward(Cursor& cursor) {
  std::string keys;
  for (; cursor.valid(); cursor.next()) keys += std::string(cursor.key()) + " ";
  return keys;
}

}  // namespace

TEST(Store, KeepsFamiliesApart) {
  TestStore store;
  put(*store, Family::kItems, "k", "item");
  put(*store, Family::kKeys, "k", "");
  EXPECT_EQ(get(*store, Family::kItems, "k"), "item");
  EXPECT_EQ(get(*store, Family::kKeys, "k"), "");
  EXPECT_EQ(get(*store, Family::kIndex, "k"), "nothing");
}

TEST(Store, BytesOfAnyKindAreKeysAndValues) {
  TestStore store;
  const std::string awkward("\0\xFF\0a", 4);
  put(*store, Family::kItems, awkward, awkward + awkward);
  EXPECT_EQ(get(*store, Family::kItems, awkward), awkward + awkward);
  const std::string large(3 << 20, 'x');
  put(*store, Family::kItems, "large", large);
  EXPECT_EQ(get(*store, Family::kItems, "large"), large);
}

TEST(Store, IsSlowWhileALargeBatchIsOnItsWay) {
  TestStore store;
  WriteBatch small(*store);
  small.put(Family::kItems, "k", "v");
  WriteBatch large(*store);
  large.put(Family::kItems, "k", std::string(LargeWrite::kLargeBatchBytes, 'x'));
  {
    const LargeWrite of_small(*store, small);
    EXPECT_FALSE(store->is_slow());
    const LargeWrite of_large(*store, large);
    EXPECT_TRUE(store->is_slow());
  }
  EXPECT_FALSE(store->is_slow());
  ASSERT_TRUE(store->apply(large));
  EXPECT_FALSE(store->is_slow());
}

TEST(Store, ABatchAppliesInOrderAndTogether) {
  TestStore store;
  put(*store, Family::kItems, "b", "old");
  WriteBatch batch(*store);
  batch.put(Family::kItems, "a", "1");
  batch.put(Family::kItems, "a", "2");
  batch.erase(Family::kItems, "b");
  batch.put(Family::kChanges, "c", "3");
  EXPECT_EQ(get(*store, Family::kItems, "a"), "nothing");
  ASSERT_TRUE(store->apply(batch));
  EXPECT_THAT(rows_of(*store, Family::kItems), ElementsAre(Pair("a", "2")));
  EXPECT_THAT(rows_of(*store, Family::kChanges), ElementsAre(Pair("c", "3")));

  batch.clear();
  ASSERT_TRUE(store->apply(batch));
  EXPECT_THAT(rows_of(*store, Family::kItems), ElementsAre(Pair("a", "2")));
}

// A reader who sees one row of a batch sees all of them, also while writers are at work.
TEST(Store, NoSnapshotShowsHalfABatch) {
  TestStore store;
  std::atomic<bool> is_done = false;
  std::thread writer([&] {
    for (int i = 0; i < 2000; ++i) {
      WriteBatch batch(*store);
      batch.put(Family::kItems, "left", std::to_string(i));
      batch.put(Family::kKeys, "right", std::to_string(i));
      EXPECT_TRUE(store->apply(batch));
    }
    is_done = true;
  });
  while (!is_done) {
    const auto at = store->snapshot();
    EXPECT_EQ(get(*store, Family::kItems, "left", at.get()), get(*store, Family::kKeys, "right", at.get()));
  }
  writer.join();
}

TEST(Store, EraseRangeLeavesItsEndAndTheOtherFamilies) {
  TestStore store;
  for (const char* key : {"a", "b", "c", "d"}) {
    put(*store, Family::kItems, key, "");
    put(*store, Family::kKeys, key, "");
  }
  WriteBatch batch(*store);
  batch.erase_range(Family::kItems, "b", "d");
  batch.put(Family::kItems, "c", "put again in the same batch");
  ASSERT_TRUE(store->apply(batch));
  EXPECT_THAT(rows_of(*store, Family::kItems),
              ElementsAre(Pair("a", ""), Pair("c", "put again in the same batch"), Pair("d", "")));
  EXPECT_EQ(rows_of(*store, Family::kKeys).size(), 4u);
}

TEST(Store, ASnapshotStaysAsItWas) {
  TestStore store;
  put(*store, Family::kItems, "a", "old");
  const auto before = store->snapshot();
  put(*store, Family::kItems, "a", "new");
  put(*store, Family::kItems, "b", "new");
  EXPECT_EQ(get(*store, Family::kItems, "a", before.get()), "old");
  EXPECT_EQ(get(*store, Family::kItems, "b", before.get()), "nothing");
  EXPECT_EQ(get(*store, Family::kItems, "a"), "new");
  Cursor cursor = store->cursor(Family::kItems, "", "z", before.get());
  cursor.seek_first();
  EXPECT_EQ(keys_forward(cursor), "a ");
}

TEST(Store, KnowsAboutHowManyRowsARangeHas) {
  TestStore store;
  const std::vector<KeyRange> ranges = {{"k0", "k1"}, {"k", "l"}, {"x", "y"}, {"k5", "k5"}};
  EXPECT_THAT(store->approximate_rows(Family::kIndex, ranges), ElementsAre(0, 0, 0, 0));
  const auto put_rows = [&](std::string_view middle) {
    WriteBatch batch(*store);
    for (int i = 0; i < 10'000; ++i) {
      batch.put(Family::kIndex, "k" + std::to_string(i % 10) + std::string(middle) + std::to_string(i), "");
    }
    ASSERT_TRUE(store->apply(batch));
  };
  put_rows("a");
  const auto expect_about = [&](uint64_t rows) {
    const std::vector<uint64_t> about = store->approximate_rows(Family::kIndex, ranges);
    EXPECT_NEAR(static_cast<double>(about[0]), static_cast<double>(rows) / 10, static_cast<double>(rows) / 20);
    EXPECT_NEAR(static_cast<double>(about[1]), static_cast<double>(rows), static_cast<double>(rows) / 5);
    EXPECT_EQ(about[2], 0U);
    EXPECT_EQ(about[3], 0U);
  };
  expect_about(10'000);
  store.reopen();  // now they are in a file
  expect_about(10'000);
  put_rows("b");
  expect_about(20'000);
}

TEST(Cursor, StaysWithinItsBoundsInBothDirections) {
  TestStore store;
  for (const char* key : {"a", "b1", "b2", "b3", "c"}) put(*store, Family::kItems, key, "");
  Cursor cursor = store->cursor(Family::kItems, "b", "c");
  cursor.seek_first();
  EXPECT_EQ(keys_forward(cursor), "b1 b2 b3 ");
  cursor.seek("b2");
  EXPECT_EQ(keys_forward(cursor), "b2 b3 ");
  cursor.seek("b25");
  EXPECT_EQ(keys_forward(cursor), "b3 ");
  cursor.seek("a");
  EXPECT_EQ(keys_forward(cursor), "b1 b2 b3 ");
  cursor.seek("c");
  EXPECT_FALSE(cursor.valid());
  std::string backward;
  for (cursor.seek_last(); cursor.valid(); cursor.previous()) backward += std::string(cursor.key()) + " ";
  EXPECT_EQ(backward, "b3 b2 b1 ");
  EXPECT_TRUE(cursor.status());
}

TEST(Cursor, SeesTheStoreAsItWasWhenItWasMade) {
  TestStore store;
  put(*store, Family::kItems, "a", "");
  Cursor cursor = store->cursor(Family::kItems, "", "z");
  put(*store, Family::kItems, "b", "");
  cursor.seek_first();
  EXPECT_EQ(keys_forward(cursor), "a ");
}

TEST(Cursor, OfAnEmptyRangeIsAtItsEnd) {
  TestStore store;
  put(*store, Family::kItems, "a", "");
  Cursor cursor = store->cursor(Family::kItems, "b", "c");
  cursor.seek_first();
  EXPECT_FALSE(cursor.valid());
  cursor.seek_last();
  EXPECT_FALSE(cursor.valid());
  EXPECT_TRUE(cursor.status());
}

TEST(Store, KeepsEverythingAcrossAReopen) {
  TestStore store(Durability::kSynced);
  for (Family family : kFamilies) put(*store, family, "k", name_of(family));
  store.reopen();
  for (Family family : kFamilies) EXPECT_THAT(rows_of(*store, family), ElementsAre(Pair("k", name_of(family))));
}

TEST(Store, ManyWritersShareSyncsAndEachIsToldOnce) {
  TestStore store(Durability::kSynced);
  constexpr int kThreads = 8;
  constexpr int kWrites = 50;
  std::atomic<int> told = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < kWrites; ++i) {
        WriteBatch batch(*store);
        batch.put(Family::kItems, std::to_string(t) + "/" + std::to_string(i), "");
        const Result<CommitTicket> ticket = store->apply(batch);
        ASSERT_TRUE(ticket);
        std::promise<void> done;
        store->when_durable(*ticket, [&](Status outcome) {
          EXPECT_TRUE(outcome);
          EXPECT_TRUE(store->is_durable(*ticket));
          ++told;
          done.set_value();
        });
        done.get_future().wait();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(told, kThreads * kWrites);
  EXPECT_EQ(store->applied(), static_cast<CommitTicket>(kThreads * kWrites));
  EXPECT_LE(store->log_syncs(), static_cast<uint64_t>(kThreads * kWrites));
  store.reopen();
  EXPECT_EQ(rows_of(*store, Family::kItems).size(), static_cast<size_t>(kThreads * kWrites));
}

TEST(Store, ApplyDurablyReturnsOnceItIsOnDisk) {
  TestStore store(Durability::kSynced);
  WriteBatch batch(*store);
  batch.put(Family::kCatalog, "k", "v");
  ASSERT_TRUE(store->apply_durably(batch));
  EXPECT_TRUE(store->is_durable(store->applied()));
  EXPECT_EQ(store->log_syncs(), 1u);
}

TEST(Store, RelaxedDurabilityNeverMakesAWriterWait) {
  TestStore store(Durability::kRelaxed);
  WriteBatch batch(*store);
  batch.put(Family::kItems, "k", "v");
  const Result<CommitTicket> ticket = store->apply(batch);
  ASSERT_TRUE(ticket);
  bool is_told = false;
  store->when_durable(*ticket, [&](Status outcome) { is_told = outcome.has_value(); });
  EXPECT_TRUE(is_told);
  store.reopen();
  EXPECT_EQ(get(*store, Family::kItems, "k"), "v");
}

TEST(Store, ASecondStoreInTheSameDirectoryIsRefused) {
  TemporaryDirectory directory;
  StoreOptions options;
  options.directory = directory.path();
  const auto first = Store::open(options);
  ASSERT_TRUE(first);
  const auto second = Store::open(options);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::kStorageFailure);
  EXPECT_THAT(second.error().message, testing::HasSubstr(directory.path()));
}

TEST(Store, VerifiesItsFiles) {
  TestStore store;
  put(*store, Family::kItems, "k", std::string(10000, 'x'));
  store.reopen();
  EXPECT_TRUE(store->verify_checksums());
  EXPECT_GT(store->disk_bytes(), 0u);
  EXPECT_EQ(store->failure(), std::nullopt);
}

TEST(Store, DoesNotBeginAnewWhereTablesAre) {
  const TemporaryDirectory directory;
  StoreOptions options;
  options.directory = directory.path();
  {
    Result<std::unique_ptr<Store>> store = Store::open(options);
    ASSERT_TRUE(store);
    WriteBatch batch(**store);
    batch.put(Family::kItems, "a", "1");
    ASSERT_TRUE((*store)->apply_durably(batch));
  }
  std::filesystem::rename(directory.path() + "/CURRENT", directory.path() + "/lost");
  const Result<std::unique_ptr<Store>> damaged = Store::open(options);
  ASSERT_FALSE(damaged);
  EXPECT_EQ(damaged.error().code, ErrorCode::kCorruption);
  std::filesystem::rename(directory.path() + "/lost", directory.path() + "/CURRENT");
  Result<std::unique_ptr<Store>> store = Store::open(options);
  ASSERT_TRUE(store);
  std::string value;
  EXPECT_EQ((*store)->get(Family::kItems, "a", value), true);
}

}  // namespace partita
