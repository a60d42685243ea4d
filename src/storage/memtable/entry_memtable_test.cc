#include "storage/memtable/entry_memtable.h"

#include <gtest/gtest.h>
#include <rocksdb/db.h>

#include <filesystem>
#include <map>
#include <memory>
#include <random>
#include <string>

namespace partita {
namespace {

using Factory = std::shared_ptr<rocksdb::MemTableRepFactory> (*)();

class EntryMemtable : public testing::TestWithParam<Factory> {
 protected:
  EntryMemtable() {
    std::string pattern = (std::filesystem::temp_directory_path() / "entry_memtable_XXXXXX").string();
    directory_ = mkdtemp(pattern.data());
    open();
  }
  ~EntryMemtable() override {
    db_.reset();
    std::filesystem::remove_all(directory_);
  }

  void open() {
    db_.reset();
    rocksdb::Options options;
    options.create_if_missing = true;
    options.allow_concurrent_memtable_write = false;
    options.memtable_factory = GetParam()();
    rocksdb::DB* db = nullptr;
    ASSERT_TRUE(rocksdb::DB::Open(options, directory_, &db).ok());
    db_.reset(db);
  }

  void put(const std::string& key, const std::string& value) {
    ASSERT_TRUE(db_->Put({}, key, value).ok());
    expected_[key] = value;
  }
  void erase(const std::string& key) {
    ASSERT_TRUE(db_->Delete({}, key).ok());
    expected_.erase(key);
  }

  void write_randomly(uint64_t seed, int writes) {
    std::mt19937_64 random(seed);
    for (int i = 0; i < writes; ++i) {
      const std::string key = "key" + std::to_string(random() % 2000);
      random() % 4 == 0 ? erase(key) : put(key, std::to_string(random()));
    }
  }

  void expect_contents(const std::map<std::string, std::string>& expected, const rocksdb::ReadOptions& options = {}) {
    const std::unique_ptr<rocksdb::Iterator> iterator(db_->NewIterator(options));
    std::map<std::string, std::string> forwards;
    for (iterator->SeekToFirst(); iterator->Valid(); iterator->Next()) {
      forwards[iterator->key().ToString()] = iterator->value().ToString();
    }
    EXPECT_EQ(forwards, expected);
    auto entry = expected.rbegin();
    for (iterator->SeekToLast(); iterator->Valid(); iterator->Prev(), ++entry) {
      ASSERT_NE(entry, expected.rend());
      ASSERT_EQ(iterator->key().ToString(), entry->first);
      ASSERT_EQ(iterator->value().ToString(), entry->second);
    }
    EXPECT_EQ(entry, expected.rend());
    EXPECT_TRUE(iterator->status().ok());
  }

  std::string directory_;
  std::unique_ptr<rocksdb::DB> db_;
  std::map<std::string, std::string> expected_;
};

INSTANTIATE_TEST_SUITE_P(Kinds, EntryMemtable, testing::Values(&tree_memtable_factory, &run_memtable_factory),
                         [](const auto& kind) { return kind.param == &tree_memtable_factory ? "Tree" : "Runs"; });

TEST_P(EntryMemtable, GivesBackWhatWasWritten) {
  write_randomly(1, 20'000);
  expect_contents(expected_);
  for (int i = 0; i < 2000; ++i) {
    const std::string key = "key" + std::to_string(i);
    std::string value;
    const bool is_found = db_->Get({}, key, &value).ok();
    ASSERT_EQ(is_found, expected_.contains(key));
    if (is_found) ASSERT_EQ(value, expected_[key]);
  }
}

TEST_P(EntryMemtable, SeeksToBothSides) {
  put("b", "1");
  put("d", "2");
  const std::unique_ptr<rocksdb::Iterator> iterator(db_->NewIterator({}));
  iterator->Seek("c");
  EXPECT_EQ(iterator->key(), "d");
  iterator->SeekForPrev("c");
  EXPECT_EQ(iterator->key(), "b");
  iterator->SeekForPrev("e");
  EXPECT_EQ(iterator->key(), "d");
  iterator->SeekForPrev("a");
  EXPECT_FALSE(iterator->Valid());
}

TEST_P(EntryMemtable, KeepsSnapshots) {
  write_randomly(2, 5000);
  const std::map<std::string, std::string> before = expected_;
  const rocksdb::Snapshot* snapshot = db_->GetSnapshot();
  write_randomly(3, 5000);
  rocksdb::ReadOptions at_snapshot;
  at_snapshot.snapshot = snapshot;
  expect_contents(before, at_snapshot);
  expect_contents(expected_);
  db_->ReleaseSnapshot(snapshot);
}

TEST_P(EntryMemtable, SurvivesFlushAndRecovery) {
  write_randomly(4, 5000);
  ASSERT_TRUE(db_->Flush({}).ok());
  write_randomly(5, 5000);
  expect_contents(expected_);
  open();  // the second half comes from the log
  expect_contents(expected_);
}

// RocksDB's assertions would end the program if a memtable that is being written out seemed to grow.
TEST_P(EntryMemtable, DoesNotGrowByBeingRead) {
  write_randomly(6, 9000);
  const auto bytes = [&] {
    uint64_t result = 0;
    EXPECT_TRUE(db_->GetIntProperty(rocksdb::DB::Properties::kCurSizeActiveMemTable, &result));
    return result;
  };
  const uint64_t before = bytes();
  EXPECT_GT(before, 0U);
  expect_contents(expected_);
  EXPECT_EQ(bytes(), before);
}

}  // namespace
}  // namespace partita
