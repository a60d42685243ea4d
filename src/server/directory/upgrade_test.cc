#include "server/directory/upgrade.h"

#include "storage/log/log_ledger.h"
#include "storage/test_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>

namespace partita::server {
namespace {

constexpr int kKillMoments = 4;  // of each step

std::string contents(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// A directory as format 2 left it: a store without a ledger.
void make_format_2(const std::string& path) {
  std::ofstream(path + "/FORMAT") << "partita 2\n";
  const std::string store_path = path + "/store";
  std::filesystem::create_directory(store_path);
  {
    const std::unique_ptr<Store> store = Store::open({.directory = store_path}).value();
    WriteBatch batch(*store);
    batch.put(Family::kCatalog, "key", "kept");
    ASSERT_TRUE(store->apply_durably(batch));
  }
  ASSERT_TRUE(std::filesystem::remove(LogLedger::path_in(store_path)));
}

// Ends the process at the given moment of an upgrade, with kill -9; false: the upgrade had fewer moments.
bool upgrade_until_killed(const std::string& path, int moment) {
  const pid_t child = ::fork();
  if (child == 0) {
    Result<DataDirectory> directory = DataDirectory::open(path);
    int seen = 0;
    const bool is_done = directory && upgrade(*directory, [&] {
                           if (seen++ == moment) ::raise(SIGKILL);
                         });
    ::_exit(is_done ? 0 : 1);
  }
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  if (WIFEXITED(status)) EXPECT_EQ(WEXITSTATUS(status), 0) << "the upgrade failed";
  return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
}

}  // namespace

TEST(Upgrade, GivesAStoreOfFormat2ItsLedger) {
  TemporaryDirectory temporary;
  make_format_2(temporary.path());
  Result<DataDirectory> directory = DataDirectory::open(temporary.path());
  ASSERT_TRUE(directory);
  EXPECT_EQ(directory->format(), 2);
  const Status upgraded = upgrade(*directory);
  ASSERT_TRUE(upgraded) << upgraded.error().message;
  EXPECT_EQ(directory->format(), kDataFormat);
  EXPECT_EQ(contents(temporary.path() + "/FORMAT"), "partita 3\n");
  EXPECT_TRUE(Store::open({.directory = directory->store_path()}));
}

TEST(Upgrade, KilledAtAnyMomentIsDoneByTheNextStart) {
  int moment = 0;
  for (;; ++moment) {
    TemporaryDirectory temporary;
    make_format_2(temporary.path());
    if (!upgrade_until_killed(temporary.path(), moment)) break;
    Result<DataDirectory> directory = DataDirectory::open(temporary.path());
    ASSERT_TRUE(directory) << "killed at moment " << moment << ": " << directory.error().message;
    ASSERT_TRUE(upgrade(*directory)) << "killed at moment " << moment;
    EXPECT_EQ(contents(temporary.path() + "/FORMAT"), "partita 3\n");
    const Result<std::unique_ptr<Store>> store = Store::open({.directory = directory->store_path()});
    ASSERT_TRUE(store) << store.error().message;
    std::string value;
    EXPECT_TRUE((*store)->get(Family::kCatalog, "key", value).value());
    EXPECT_EQ(value, "kept");
  }
  EXPECT_EQ(moment, kKillMoments * (kDataFormat - kDataFormatMin));
}

TEST(Upgrade, ThatFailsSaysWhyAndLosesNothing) {
  TemporaryDirectory temporary;
  make_format_2(temporary.path());
  const std::string current = temporary.path() + "/store/CURRENT";
  std::filesystem::rename(current, current + ".away");
  {
    Result<DataDirectory> directory = DataDirectory::open(temporary.path());
    ASSERT_TRUE(directory);
    const Status failed = upgrade(*directory);
    ASSERT_FALSE(failed);
    EXPECT_THAT(failed.error().message,
                testing::AllOf(testing::HasSubstr("from format 2 to 3"), testing::HasSubstr("CURRENT is missing")));
    EXPECT_EQ(contents(temporary.path() + "/FORMAT"), "partita 3 from 2\n") << "so that an older version leaves it alone";
  }
  std::filesystem::rename(current + ".away", current);
  Result<DataDirectory> directory = DataDirectory::open(temporary.path());
  ASSERT_TRUE(directory) << directory.error().message;
  EXPECT_TRUE(upgrade(*directory));
}

}  // namespace partita::server
