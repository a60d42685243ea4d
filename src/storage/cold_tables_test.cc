#include "base/must_not_wait.h"
#include "storage/store.h"
#include "storage/table_file.h"
#include "storage/test_store.h"

#include <gtest/gtest.h>

#include <linux/magic.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <future>
#include <mutex>
#include <string>
#include <thread>

namespace partita {
namespace {

// Whether the system has nothing of any file in memory.
std::atomic<bool> is_cold = false;

}  // namespace
}  // namespace partita

// In place of the C library's.
extern "C" ssize_t preadv2(int file, const iovec* parts, int count, off_t offset, int flags) {
  if (partita::is_cold && (flags & RWF_NOWAIT) != 0) {
    errno = EAGAIN;
    return -1;
  }
  // Other file systems than this test's may know nothing of RWF_NOWAIT.
  return ::preadv(file, parts, count, offset);
}
// Whatever file system the test's directory is on, its files are on a disk.
extern "C" int fstatfs(int file, struct statfs* system) noexcept {
  const int outcome = static_cast<int>(::syscall(SYS_fstatfs, file, system));
  system->f_type = EXT4_SUPER_MAGIC;
  return outcome;
}

namespace partita {
namespace {

constexpr int kRows = 2000;  // in tables of several blocks

std::string key_of(int number) { return "key" + std::to_string(10'000 + number); }

class ColdTablesTest : public testing::Test {
 protected:
  void SetUp() override {
    WriteBatch batch(*store_);
    for (int n = 0; n < kRows; ++n) batch.put(Family::kItems, key_of(n), std::string(100, 'v'));
    ASSERT_TRUE(store_->apply(batch));
    store_.reopen();  // from tables, of which nothing is cached
  }
  void TearDown() override { is_cold = false; }

  Result<bool> get(int number) {
    std::string value;
    return store_->get(Family::kItems, key_of(number), value);
  }
  // As far as it comes; whether that was the end is told by the status.
  std::pair<int, Status> count() {
    Cursor cursor = store_->cursor(Family::kItems, "", "z");
    int rows = 0;
    for (cursor.seek_first(); cursor.valid(); cursor.next()) ++rows;
    return {rows, cursor.status()};
  }

  TestStore store_;
};

}  // namespace

TEST_F(ColdTablesTest, AreNotReadWhereNobodyMayWait) {
  ASSERT_TRUE(get(0));  // opens the table
  is_cold = true;
  {
    const MustNotWait scope;
    EXPECT_FALSE(MustNotWait::was_refused());
    const Result<bool> refused = get(kRows - 1);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::kWouldWait) << refused.error().message;
    EXPECT_TRUE(MustNotWait::was_refused());
    const auto [rows, status] = count();
    EXPECT_LT(rows, kRows);
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().code, ErrorCode::kWouldWait) << status.error().message;
  }
  EXPECT_TRUE(get(kRows - 1).value());
  EXPECT_EQ(count().first, kRows);
  // What was read is in the store's own cache.
  const MustNotWait scope;
  EXPECT_TRUE(get(kRows - 1).value());
}

TEST_F(ColdTablesTest, AreReadAtOnceAsFarAsTheSystemHasThem) {
  ASSERT_TRUE(get(0));
  const MustNotWait scope;
  EXPECT_TRUE(get(kRows - 1).value());
  EXPECT_EQ(count().first, kRows);
  EXPECT_FALSE(MustNotWait::was_refused());
}

TEST_F(ColdTablesTest, AreNotOpenedEither) {
  TestStore& store = store_;
  store.reopen();
  is_cold = true;
  const MustNotWait scope;
  // Whether the store has opened the table by itself is its own affair.
  const Result<bool> refused = get(1);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kWouldWait);
}

TEST(MustNotWait, HoldsForItsThreadAndForAsLongAsTheOutermostLives) {
  EXPECT_FALSE(MustNotWait::applies());
  {
    const MustNotWait none(false);
    EXPECT_FALSE(MustNotWait::applies());
    const MustNotWait outer;
    {
      const MustNotWait inner;
      (void)MustNotWait::refuse();
    }
    EXPECT_TRUE(MustNotWait::applies());
    EXPECT_TRUE(MustNotWait::was_refused());
    EXPECT_FALSE(std::async(std::launch::async, [] { return MustNotWait::applies(); }).get());
  }
  EXPECT_FALSE(MustNotWait::applies());
  const MustNotWait again;
  EXPECT_FALSE(MustNotWait::was_refused());
}

TEST(MustNotWait, TakesNoLockWhoseOwnerKeepsIt) {
  std::timed_mutex mutex;
  std::unique_lock owner(mutex);
  std::thread([&mutex] {
    const MustNotWait scope;
    std::unique_lock lock(mutex, std::defer_lock);
    EXPECT_FALSE(MustNotWait::take(lock));
    EXPECT_TRUE(MustNotWait::was_refused());
  }).join();
  owner.unlock();
  const MustNotWait scope;
  std::unique_lock lock(mutex, std::defer_lock);
  EXPECT_TRUE(MustNotWait::take(lock));
}

}  // namespace partita
