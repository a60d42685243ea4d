#include "storage/idle_merger.h"

#include "storage/test_disk.h"
#include "storage/test_store.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

namespace partita {
namespace {

constexpr uint64_t kMemtableBytes = 1UL << 20;

// A database with one family, in which tables overlap.
class IdleMergerTest : public testing::Test {
 protected:
  IdleMergerTest() {
    rocksdb::Options options;
    options.env = environment_.get();
    options.create_if_missing = true;
    rocksdb::DB* db = nullptr;
    EXPECT_TRUE(rocksdb::DB::Open(options, directory_.path(), &db).ok());
    db_.reset(db);
    merger_ = std::make_unique<IdleMerger>(
        *db_, IdleMerger::Families{db_->DefaultColumnFamily()}, [this] { return written_; }, kMemtableBytes,
        [this](const Status& outcome) { told_.push_back(outcome); });
  }
  ~IdleMergerTest() override {
    merger_.reset();
    EXPECT_TRUE(db_->Close().ok());
  }

  void write(int from, int to, size_t value_bytes = 10) {
    for (int i = from; i < to; ++i) {
      ASSERT_TRUE(
          db_->Put({}, fmt::format("{:05}", i), std::string(value_bytes, static_cast<char>('a' + written_.value() % 26))).ok());
    }
    ++*written_;
  }
  void write_table(int from, int to, size_t value_bytes = 10) {
    write(from, to, value_bytes);
    ASSERT_TRUE(db_->Flush({}).ok());
  }

  // How many there are in each level, the first two.
  std::string tables() const {
    rocksdb::ColumnFamilyMetaData tables;
    db_->GetColumnFamilyMetaData(&tables);
    return fmt::format("{} {}", tables.levels[0].files.size(), tables.levels[1].files.size());
  }
  std::string value(int i) const {
    std::string value;
    EXPECT_TRUE(db_->Get({}, fmt::format("{:05}", i), &value).ok());
    return value.substr(0, 1);
  }

  TemporaryDirectory directory_;
  std::shared_ptr<TestDisk> disk_ = std::make_shared<TestDisk>();
  std::unique_ptr<rocksdb::Env> environment_ = rocksdb::NewCompositeEnv(disk_);
  std::unique_ptr<rocksdb::DB> db_;
  std::vector<Status> told_;
  std::optional<uint64_t> written_ = 0;
  std::unique_ptr<IdleMerger> merger_;
};

}  // namespace

TEST_F(IdleMergerTest, MergesTablesOnceNobodyWrites) {
  write_table(0, 100);
  write_table(50, 150);
  merger_->look();
  EXPECT_EQ(tables(), "2 0") << "somebody has just written";
  merger_->look();
  EXPECT_EQ(tables(), "0 1");
  EXPECT_EQ(value(10), "a");
  EXPECT_EQ(value(60), "b");
  EXPECT_EQ(value(140), "b");
  write_table(0, 100);
  merger_->look();
  EXPECT_EQ(tables(), "1 1");
  merger_->look();
  EXPECT_EQ(tables(), "0 1");
  EXPECT_EQ(value(60), "c");
}

TEST_F(IdleMergerTest, WritesOutWhatIsWorthATable) {
  write(0, 10);
  merger_->look();
  merger_->look();
  EXPECT_EQ(tables(), "0 0");
  write(0, 200, 10'000);
  merger_->look();
  merger_->look();
  EXPECT_EQ(tables(), "1 0") << "one is enough";
}

TEST_F(IdleMergerTest, DoesNotRewriteMuchForLittle) {
  write_table(0, 2000, 1'000);
  write_table(0, 2000, 1'001);
  merger_->look();
  merger_->look();
  ASSERT_EQ(tables(), "0 1");
  write_table(0, 1);
  merger_->look();
  merger_->look();
  EXPECT_EQ(tables(), "1 1");
}

TEST_F(IdleMergerTest, TellsWhatCameOfIt) {
  write_table(0, 100);
  write_table(50, 150);
  merger_->look();
  EXPECT_TRUE(told_.empty()) << "nothing was tried";
  disk_->is_full = true;
  merger_->look();
  ASSERT_EQ(told_.size(), 1u);
  ASSERT_FALSE(told_[0]);
  EXPECT_THAT(told_[0].error().message, testing::HasSubstr("No space"));
  EXPECT_EQ(tables(), "2 0");
  merger_->look();
  EXPECT_EQ(told_.size(), 1u) << "nobody has written since";
  disk_->is_full = false;
  ++*written_;
  merger_->look();
  merger_->look();
  ASSERT_EQ(told_.size(), 2u);
  EXPECT_TRUE(told_[1]) << told_[1].error().message;
  EXPECT_EQ(tables(), "0 1");
}

TEST_F(IdleMergerTest, LeavesAStoreAloneThatRefusesWrites) {
  write_table(0, 100);
  write_table(50, 150);
  written_.reset();
  merger_->look();
  merger_->look();
  EXPECT_EQ(tables(), "2 0");
}

}  // namespace partita
