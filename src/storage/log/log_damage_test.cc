#include "storage/log/log_damage.h"

#include "storage/test_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/db.h>
#include <rocksdb/write_batch.h>

#include <filesystem>
#include <fstream>

namespace partita {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::string contents(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::filesystem::path log_in(const std::string& directory) {
  for (const auto& file : std::filesystem::directory_iterator(directory)) {
    if (file.path().extension() == ".log") return file.path();
  }
  ADD_FAILURE() << "no log";
  return {};
}

// A log as RocksDB writes it, one batch for each mark.
std::string log_of(const std::vector<LogMark>& marks, size_t value_bytes) {
  TemporaryDirectory directory;
  rocksdb::Options options;
  options.create_if_missing = true;
  options.avoid_flush_during_shutdown = true;
  rocksdb::DB* opened = nullptr;
  EXPECT_TRUE(rocksdb::DB::Open(options, directory.path(), &opened).ok());
  const std::unique_ptr<rocksdb::DB> db(opened);
  for (const LogMark& mark : marks) {
    const std::array<char, kLogMarkBytes> bytes = encode(mark);
    rocksdb::WriteBatch batch;
    EXPECT_TRUE(batch.Put("key", std::string(value_bytes, 'v')).ok());
    EXPECT_TRUE(batch.PutLogData({bytes.data(), bytes.size()}).ok());
    EXPECT_TRUE(db->Write({}, &batch).ok());
  }
  return contents(log_in(directory.path()));
}

// Each batch was synced before the next one was written.
std::vector<LogMark> synced_one_by_one(uint64_t from, uint64_t to) {
  std::vector<LogMark> marks;
  for (uint64_t serial = from; serial <= to; ++serial) marks.push_back({.serial = serial, .durable = serial - 1});
  return marks;
}

std::optional<uint64_t> damage_of(std::string_view log) {
  LogScan scan;
  for (size_t at = 0; at < log.size(); at += kLogBlockBytes) scan.read(log.substr(at, kLogBlockBytes));
  return scan.damaged_at();
}

std::string with_flip(std::string log, size_t at) {
  log[at] = static_cast<char>(log[at] ^ 0x10);
  return log;
}

}  // namespace

TEST(LogScan, FindsNothingInAWholeLogNorInOneThatEndsAnywhere) {
  for (const size_t value_bytes : {size_t{10}, size_t{20'000}}) {
    const std::string log = log_of(synced_one_by_one(1, 8), value_bytes);
    EXPECT_FALSE(damage_of(log));
    EXPECT_FALSE(damage_of(log + std::string(100'000, '\0')));
    for (size_t end = 0; end < log.size(); end += 1 + log.size() / 100) {
      EXPECT_FALSE(damage_of(log.substr(0, end))) << end;
      EXPECT_FALSE(damage_of(log.substr(0, end) + std::string(100'000, '\0'))) << end;
    }
  }
}

TEST(LogScan, FindsEveryFlippedByteBeforeTheLastBatch) {
  const std::string log = log_of(synced_one_by_one(1, 8), 10);
  const size_t batch_bytes = log.size() / 8;
  for (size_t at = 0; at < 6 * batch_bytes; ++at) {
    const std::optional<uint64_t> damage = damage_of(with_flip(log, at));
    // What follows a wrong length in the same block cannot be found; this log has one block only.
    const size_t in_header = at % batch_bytes;
    if (in_header == 4 || in_header == 5) continue;
    ASSERT_TRUE(damage) << at;
    EXPECT_EQ(*damage, at / batch_bytes * batch_bytes);
  }
  for (size_t at = 7 * batch_bytes; at < log.size(); ++at) EXPECT_FALSE(damage_of(with_flip(log, at))) << at;
}

TEST(LogScan, FindsDamageInBatchesOfSeveralBlocks) {
  const std::string log = log_of(synced_one_by_one(1, 12), 50'000);
  for (size_t at = 0; at < log.size() * 9 / 12; at += 4'999) EXPECT_TRUE(damage_of(with_flip(log, at))) << at;
}

TEST(LogScan, FindsASectorThatWasLost) {
  std::string log = log_of(synced_one_by_one(1, 40), 5'000);
  log.replace(40'000, 4'096, 4'096, '\0');
  EXPECT_TRUE(damage_of(log));
}

TEST(LogScan, FindsThatTheFirstBatchOfALaterLogIsLost) {
  const std::string log = log_of(synced_one_by_one(1'001, 1'008), 10);
  EXPECT_EQ(damage_of(with_flip(log, 20)), 0u);
}

// A power cut may keep later bytes of what was not synced, and lose earlier ones.
TEST(LogScan, WhatWasNotDurableMayBeTornAnywhere) {
  std::vector<LogMark> marks = synced_one_by_one(1, 4);
  for (uint64_t serial = 5; serial <= 12; ++serial) marks.push_back({.serial = serial, .durable = 4});
  const std::string log = log_of(marks, 10);
  const size_t batch_bytes = log.size() / 12;
  for (size_t at = 4 * batch_bytes; at < log.size(); ++at) EXPECT_FALSE(damage_of(with_flip(log, at))) << at;
  EXPECT_TRUE(damage_of(with_flip(log, 2 * batch_bytes + 20)));
}

TEST(LogScan, ALogWithoutMarksIsNotJudged) {
  TemporaryDirectory directory;
  rocksdb::Options options;
  options.create_if_missing = true;
  options.avoid_flush_during_shutdown = true;
  rocksdb::DB* opened = nullptr;
  ASSERT_TRUE(rocksdb::DB::Open(options, directory.path(), &opened).ok());
  const std::unique_ptr<rocksdb::DB> db(opened);
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(db->Put({}, "key", "value").ok());
  EXPECT_FALSE(damage_of(with_flip(contents(log_in(directory.path())), 20)));
}

TEST(Store, RefusesALogThatHasLostWhatWasAcknowledged) {
  TemporaryDirectory directory;
  const std::string killed = directory.path() + "/killed";
  StoreOptions options{.directory = directory.path() + "/store"};
  const std::unique_ptr<Store> store = Store::open(options).value();
  for (int i = 0; i < 10; ++i) {
    WriteBatch batch(*store);
    batch.put(Family::kItems, std::to_string(i), "value");
    ASSERT_TRUE(store->apply_durably(batch));
  }
  std::filesystem::copy(options.directory, killed, std::filesystem::copy_options::recursive);
  const std::filesystem::path log = log_in(killed);
  const std::string whole = contents(log);
  const std::string damaged = with_flip(whole, 30);
  std::ofstream(log, std::ios::binary) << damaged;
  const Result<std::unique_ptr<Store>> refused = Store::open({.directory = killed});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kCorruption);
  EXPECT_THAT(refused.error().message,
              AllOf(HasSubstr(log.string() + " is damaged at byte 0"), HasSubstr("partita check --repair")));
  EXPECT_EQ(contents(log), damaged) << "it was left alone";
  std::ofstream(log, std::ios::binary) << whole;
  const Result<std::unique_ptr<Store>> opened = Store::open({.directory = killed});
  ASSERT_TRUE(opened);
  EXPECT_EQ(rows_of(**opened, Family::kItems).size(), 10u);
}

}  // namespace partita
