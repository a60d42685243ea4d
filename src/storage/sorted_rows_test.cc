#include "storage/sorted_rows.h"

#include "base/random.h"
#include "storage/test_store.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

namespace partita {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

SortedRows sorted(Store& store, Family family, const Rows& rows) {
  SortedRows sorted = store.sorted_rows(family);
  for (const auto& [key, value] : rows) EXPECT_TRUE(sorted.add(key, value));
  return sorted;
}

template <typename... Sorted>
std::vector<SortedRows> all(Sorted... rows) {
  std::vector<SortedRows> all;
  (all.push_back(std::move(rows)), ...);
  return all;
}

size_t files_in(const std::string& directory) {
  size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) files += entry.is_regular_file() ? 1 : 0;
  return files;
}

TEST(SortedRows, AreTakenInTogetherAndStay) {
  TestStore store(Durability::kSynced);
  ASSERT_TRUE(
      store->ingest(all(sorted(*store, Family::kItems, {{"a", "1"}, {"b", "2"}}), sorted(*store, Family::kItems, {{"c", "3"}}),
                        sorted(*store, Family::kIndex, {{"i", ""}}), store->sorted_rows(Family::kKeys))));
  for (int i = 0; i < 2; ++i) {
    EXPECT_THAT(rows_of(*store, Family::kItems), ElementsAre(Pair("a", "1"), Pair("b", "2"), Pair("c", "3")));
    EXPECT_THAT(rows_of(*store, Family::kIndex), ElementsAre(Pair("i", "")));
    EXPECT_THAT(rows_of(*store, Family::kKeys), IsEmpty());
    store.reopen();
  }
}

TEST(SortedRows, AreInvisibleUntilTheyAreTakenIn) {
  TestStore store;
  const SortedRows rows = sorted(*store, Family::kItems, {{"a", "1"}});
  EXPECT_THAT(rows_of(*store, Family::kItems), IsEmpty());
}

TEST(SortedRows, LieBetweenRowsThatWereWrittenBeforeAndAfter) {
  TestStore store;
  WriteBatch before(*store);
  before.put(Family::kItems, "a", "batch");
  before.put(Family::kItems, "c", "batch");
  before.erase_range(Family::kItems, "d", "e");
  ASSERT_TRUE(store->apply(before));
  const std::shared_ptr<const Snapshot> then = store->snapshot();
  ASSERT_TRUE(store->ingest(all(sorted(*store, Family::kItems, {{"b", "sorted"}, {"c", "sorted"}, {"d", "sorted"}}))));
  WriteBatch after(*store);
  after.erase(Family::kItems, "b");
  ASSERT_TRUE(store->apply(after));
  EXPECT_THAT(rows_of(*store, Family::kItems), ElementsAre(Pair("a", "batch"), Pair("c", "sorted"), Pair("d", "sorted")));
  std::string value;
  EXPECT_FALSE(store->get(Family::kItems, "d", value, then.get()).value());
}

TEST(SortedRows, RefuseDisorder) {
  TestStore store;
  SortedRows rows = sorted(*store, Family::kItems, {{"b", ""}});
  EXPECT_FALSE(rows.add("a", ""));
}

TEST(SortedRows, LeaveNoFilesBehind) {
  const TemporaryDirectory directory;
  StoreOptions options;
  options.directory = directory.path();
  options.durability = Durability::kRelaxed;
  const std::string ingest = directory.path() + "/ingest";
  {
    const std::unique_ptr<Store> store = *Store::open(options);
    ASSERT_TRUE(store->ingest(all(sorted(*store, Family::kItems, {{"a", ""}}))));
    EXPECT_EQ(files_in(ingest), 0);
    {
      const SortedRows forgotten = sorted(*store, Family::kItems, {{"b", ""}});
      EXPECT_EQ(files_in(ingest), 1);
    }
    EXPECT_EQ(files_in(ingest), 0);
    std::filesystem::copy(directory.path() + "/CURRENT", ingest + "/left-by-a-kill.sst");
  }
  const std::unique_ptr<Store> store = *Store::open(options);
  EXPECT_EQ(files_in(ingest), 0);
}

TEST(SortedRows, OnAFailingDiskAreAnErrorAndNotThere) {
  TestStore store;
  {
    const FailingDisk disk;
    SortedRows rows = store->sorted_rows(Family::kItems);
    Random random(1);
    Status added;
    for (int i = 0; i < 100 && added; ++i) {
      std::string noise(FailingDisk::kFileBytesMax / 16, ' ');  // does not compress
      for (char& byte : noise) byte = static_cast<char>(random.below(256));
      added = rows.add(fmt::format("{:03}", i), noise);
    }
    const bool has_failed = !added || !store->ingest(all(std::move(rows)));
    EXPECT_TRUE(has_failed);
  }
  EXPECT_THAT(rows_of(*store, Family::kItems), IsEmpty());
  ASSERT_TRUE(store->ingest(all(sorted(*store, Family::kItems, {{"a", ""}}))));
}

}  // namespace
}  // namespace partita
