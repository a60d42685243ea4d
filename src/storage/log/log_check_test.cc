#include "storage/log/log_check.h"

#include "storage/log/log_ledger.h"
#include "storage/test_store.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <thread>

namespace partita {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

std::string contents(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void overwrite(const fs::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

// The directory of a store that was killed after ten writes, each of which was acknowledged, and after the ledger had noted them.
class KilledStore : public testing::Test {
 protected:
  static constexpr int kWrites = 10;
  static constexpr int kLaterWrites = 5;

  // Once for all tests, because the ledger takes its time.
  static void SetUpTestSuite() {
    home_ = std::make_unique<TemporaryDirectory>();
    const auto store = Store::open({.directory = living().string()}).value();
    write(*store, 0, kWrites);
    while (noted_serial() < kWrites) std::this_thread::yield();
    kill(noted());
    write(*store, kWrites, kWrites + kLaterWrites);
    kill(later());
  }
  static void TearDownTestSuite() { home_.reset(); }

  static fs::path living() { return home_->path() + "/living"; }
  static fs::path noted() { return home_->path() + "/noted"; }
  static fs::path later() { return home_->path() + "/later"; }

  static void write(Store& store, int from, int to) {
    for (int i = from; i < to; ++i) {
      WriteBatch batch(store);
      batch.put(Family::kItems, std::to_string(i), std::string(100, 'v'));
      ASSERT_TRUE(store.apply_durably(batch));
    }
  }
  static uint64_t noted_serial() {
    const std::vector<LogDemand> demands = LogLedger::read(living().string()).value().value();
    return demands.empty() ? 0 : demands.back().serial;
  }
  // What is on disk is what a kill would leave. The log is copied after the ledger, as it was written before it.
  static void kill(const fs::path& copy) {
    fs::create_directory(copy);
    fs::copy(living() / kLedgerName, copy / kLedgerName);
    fs::copy(living(), copy, fs::copy_options::recursive | fs::copy_options::skip_existing);
  }

  KilledStore() { use(noted()); }
  ~KilledStore() override { fs::remove_all(killed_); }

  void use(const fs::path& copy) {
    fs::remove_all(killed_);
    fs::copy(copy, killed_, fs::copy_options::recursive);
    for (const auto& file : fs::directory_iterator(killed_)) {
      if (file.path().extension() == ".log") log_ = file.path();
    }
    demand_ = LogLedger::read(killed_.string()).value().value().back();
  }
  const LogDemand& demand() const { return demand_; }
  size_t batch_bytes() const { return demand().batch_bytes / kWrites; }

  std::string refusal(bool is_read_only = false) const {
    const auto store = Store::open({.directory = killed_.string(), .is_read_only = is_read_only});
    if (store) return "opened";
    EXPECT_EQ(store.error().code, ErrorCode::kCorruption);
    return store.error().message;
  }
  void expect_refusal(const std::string& what) const {
    for (const bool is_read_only : {true, false}) {
      EXPECT_THAT(refusal(is_read_only), AllOf(HasSubstr(what), HasSubstr("partita check --repair")));
    }
  }
  size_t rows() const {
    const auto store = Store::open({.directory = killed_.string()});
    EXPECT_TRUE(store) << store.error().message;
    return store ? rows_of(**store, Family::kItems).size() : 0;
  }
  size_t rows_after_repair(const testing::Matcher<std::vector<std::string>>& told) const {
    const Result<std::vector<std::string>> done = Store::give_up_losses(killed_.string());
    EXPECT_TRUE(done) << done.error().message;
    if (done) EXPECT_THAT(*done, told);
    return rows();
  }

  static std::unique_ptr<TemporaryDirectory> home_;
  fs::path killed_ = home_->path() + "/killed";
  fs::path log_;
  LogDemand demand_;
};

std::unique_ptr<TemporaryDirectory> KilledStore::home_;

}  // namespace

TEST_F(KilledStore, OpensWithEverything) {
  EXPECT_EQ(refusal(true), "opened");
  EXPECT_EQ(rows(), 10u);
}

TEST_F(KilledStore, WithoutItsLogIsRefused) {
  fs::remove(log_);
  expect_refusal(fmt::format("the log {} is missing, with {} bytes that were acknowledged: about 10 writes", log_.string(),
                             demand().batch_bytes));
  EXPECT_EQ(rows_after_repair(Contains(HasSubstr("is missing"))), 0u);
}

TEST_F(KilledStore, WithAnEmptyLogIsRefused) {
  fs::resize_file(log_, 0);
  expect_refusal("only the first 0 can be read: 10 writes or more are missing");
  EXPECT_EQ(rows_after_repair(Contains(HasSubstr("its first 0 bytes are kept"))), 0u);
}

TEST_F(KilledStore, WhoseLogIsCutBetweenBatchesIsRefused) {
  fs::resize_file(log_, 7 * batch_bytes());
  expect_refusal(
      fmt::format("the log {} has lost what was acknowledged: of {} bytes, only the first {} can be read: 3 writes or "
                  "more are missing",
                  log_.string(), demand().batch_bytes, 7 * batch_bytes()));
  EXPECT_EQ(rows_after_repair(Contains(HasSubstr(".log.lost is the whole file as it was"))), 7u);
  EXPECT_EQ(fs::file_size(log_.string() + ".lost"), 7 * batch_bytes());
}

TEST_F(KilledStore, WhoseLogIsCutWithinABatchIsRefused) {
  fs::resize_file(log_, 7 * batch_bytes() + 11);
  expect_refusal(fmt::format("only the first {} can be read", 7 * batch_bytes()));
  EXPECT_EQ(rows_after_repair(Contains(HasSubstr("3 writes or more"))), 7u);
}

TEST_F(KilledStore, WithAnOlderCopyOfItsLogIsRefused) {
  std::string older = contents(log_);
  std::fill(older.begin() + static_cast<ptrdiff_t>(8 * batch_bytes()), older.end(), '\0');
  overwrite(log_, older);
  expect_refusal("2 writes or more are missing");
  EXPECT_EQ(rows_after_repair(Contains(HasSubstr("2 writes or more"))), 8u);
}

TEST_F(KilledStore, WithTheLogOfAnotherStoreIsRefused) {
  TemporaryDirectory other;
  const auto store = Store::open({.directory = other.path()}).value();
  for (int i = 0; i < 20; ++i) {
    WriteBatch batch(*store);
    batch.put(Family::kKeys, "another", std::string(200, 'w'));
    ASSERT_TRUE(store->apply_durably(batch));
  }
  fs::copy(fs::path(other.path()) / log_.filename(), log_, fs::copy_options::overwrite_existing);
  expect_refusal("is another one than what was written");
  EXPECT_EQ(rows_after_repair(Contains(HasSubstr("its first 0 bytes are kept"))), 0u);
}

TEST_F(KilledStore, WithAFlippedByteInItsLastBatchIsRefused) {
  std::string flipped = contents(log_);
  flipped[demand().batch_bytes - 20] ^= 1;
  overwrite(log_, flipped);
  expect_refusal("one write or more are missing");
}

// What was written within the last moment is not noted, but the length that the file had is.
TEST_F(KilledStore, AnEndThatIsNotNotedYetIsMissedAllTheSame) {
  const LogDemand before = demand();
  const auto use_later = [&] {
    use(later());
    ASSERT_TRUE(LogLedger::create(killed_.string(), {before}));  // whatever was noted meanwhile
  };
  for (const uint64_t end : {before.batch_bytes, before.batch_bytes + 50, before.file_bytes - 1}) {
    use_later();
    fs::resize_file(log_, end);
    expect_refusal(
        fmt::format("the log {} was cut off: it has {} bytes and had {} or more", log_.string(), end, before.file_bytes));
  }
  EXPECT_EQ(rows_after_repair(Contains(HasSubstr("was cut off"))), 15u);
  use_later();
  EXPECT_EQ(rows(), 15u);
}

TEST_F(KilledStore, WithoutItsLedgerIsRefused) {
  fs::remove(killed_ / kLedgerName);
  expect_refusal((killed_ / kLedgerName).string() + " is missing");
  EXPECT_EQ(rows_after_repair(Contains(HasSubstr("the logs are taken as they are"))), 10u);
}

TEST_F(KilledStore, OfATimeWithoutLedgersOpensAndGetsOne) {
  fs::remove(killed_ / kLedgerName);
  ASSERT_TRUE(Store::open({.directory = killed_.string(), .has_no_ledger = true}));
  EXPECT_EQ(rows(), 10u);
}

// Another version may have used the directory since this one left its ledger there.
TEST_F(KilledStore, OfATimeWithoutLedgersIsNotJudgedByAnOlderOne) {
  fs::remove(log_);
  EXPECT_TRUE(Store::open({.directory = killed_.string(), .has_no_ledger = true}));
}

TEST_F(KilledStore, WithoutCurrentDoesNotBeginAnewOverItsLog) {
  fs::remove(killed_ / "CURRENT");
  EXPECT_THAT(refusal(), HasSubstr("CURRENT is missing"));
  EXPECT_TRUE(fs::exists(log_));
}

TEST_F(KilledStore, ThatLostNothingIsNotRepaired) {
  const std::string before = contents(log_);
  EXPECT_THAT(Store::give_up_losses(killed_.string()).value(), IsEmpty());
  EXPECT_EQ(contents(log_), before);
}

TEST_F(KilledStore, GivesUpLogsThatWereWrittenAfterTheLoss) {
  const std::string later = (killed_ / "000999.log").string();
  fs::copy(log_, later);
  fs::resize_file(log_, 5 * batch_bytes());
  EXPECT_EQ(rows_after_repair(Contains(HasSubstr(later + " was put aside"))), 5u);
  EXPECT_TRUE(fs::exists(later + ".lost"));
}

TEST_F(KilledStore, IsReadWithoutAnyChange) {
  std::map<std::string, std::string> before;
  for (const auto& file : fs::recursive_directory_iterator(killed_)) {
    if (file.is_regular_file()) before[file.path()] = contents(file.path());
  }
  {
    const auto store = Store::open({.directory = killed_.string(), .is_read_only = true});
    ASSERT_TRUE(store) << store.error().message;
    EXPECT_EQ(rows_of(**store, Family::kItems).size(), 10u);
    EXPECT_TRUE((*store)->verify_checksums());
    WriteBatch batch(**store);
    batch.put(Family::kItems, "x", "y");
    EXPECT_FALSE((*store)->apply(batch));
  }
  std::map<std::string, std::string> after;
  for (const auto& file : fs::recursive_directory_iterator(killed_)) {
    if (file.is_regular_file()) after[file.path()] = contents(file.path());
  }
  EXPECT_TRUE(before == after);
}

// Logs come and go with memtables that are written out; the ledger follows.
TEST(LogLedgerOfAStore, DemandsNothingThatIsNotThere) {
  TemporaryDirectory directory;
  const auto expect_no_loss = [&] {
    while (true) {
      const auto demands = LogLedger::read(directory.path()).value().value();
      const auto loss = find_log_loss(directory.path(), demands);
      // Meanwhile a log may have been forgotten and deleted, in this order.
      if ((!loss || *loss) && LogLedger::read(directory.path()).value().value() != demands) continue;
      ASSERT_TRUE(loss) << loss.error().message;
      EXPECT_FALSE(*loss) << (*loss)->what;
      return;
    }
  };
  for (int life = 0; life < 3; ++life) {
    const auto store = Store::open({.directory = directory.path(), .memtable_bytes = 256 << 10}).value();
    for (int i = 0; i < 40; ++i) {
      WriteBatch batch(*store);
      batch.put(Family::kItems, std::to_string(i), std::string(50'000, 'v'));
      ASSERT_TRUE(store->apply_durably(batch));
      if (i % 10 == 0) expect_no_loss();
    }
  }
  expect_no_loss();
  EXPECT_THAT(LogLedger::read(directory.path()).value().value(), IsEmpty()) << "a clean end leaves nothing to replay";
}

TEST(LogLedgerOfAStore, ATableThatIsMissingIsNamedAsPeopleSeeIt) {
  TemporaryDirectory directory;
  {
    const auto store = Store::open({.directory = directory.path()}).value();
    WriteBatch batch(*store);
    batch.put(Family::kItems, "a", "1");
    ASSERT_TRUE(store->apply_durably(batch));
  }
  fs::path table;
  for (const auto& file : fs::directory_iterator(directory.path())) {
    if (file.path().extension() == ".sst") table = file.path();
  }
  fs::remove(table);
  const auto refused = Store::open({.directory = directory.path()});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, AllOf(HasSubstr(table.string()), testing::Not(HasSubstr(".ldb"))));
}

}  // namespace partita
