#include "tools/shell/terminal/history_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace partita::tools {
namespace {

using testing::ElementsAre;

class HistoryFileTest : public testing::Test {
 protected:
  HistoryFileTest() {
    std::string folder = testing::TempDir() + "historyXXXXXX";
    folder_ = ::mkdtemp(folder.data());
    path_ = folder_ + "/history";
  }
  ~HistoryFileTest() override { std::filesystem::remove_all(folder_); }

  std::string folder_;
  std::string path_;
};

}  // namespace

TEST_F(HistoryFileTest, KeepsWhatWasTypedForTheOwnerOnly) {
  std::ofstream(path_) << "old\n";
  ::chmod(path_.c_str(), 0644);
  HistoryFile history(path_, "");
  EXPECT_TRUE(history.add("SELECT *\nFROM c"));
  EXPECT_TRUE(history.add("SELECT *\nFROM c")) << "the same again is one entry";
  struct stat about{};
  ASSERT_EQ(::stat(path_.c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777U, 0600U);
  EXPECT_THAT(HistoryFile(path_, "").entries(), ElementsAre("old", "SELECT * FROM c"));
}

TEST_F(HistoryFileTest, KeepsNoKeys) {
  HistoryFile history(path_, "c2VjcmV0");
  EXPECT_FALSE(history.add("SELECT 'c2VjcmV0'"));
  EXPECT_FALSE(history.add("AccountEndpoint=https://x/;AccountKey=abc;"));
  EXPECT_FALSE(history.add("type=resource&ver=1&sig=x"));
  EXPECT_FALSE(history.add(" SELECT 1")) << "a blank in front says so";
  EXPECT_FALSE(history.add(std::string(HistoryFile::kEntryBytesMax + 1, 'x')));
  EXPECT_THAT(HistoryFile(path_, "").entries(), ElementsAre());
}

TEST_F(HistoryFileTest, KeepsTheNewest) {
  {
    std::ofstream file(path_);
    for (size_t i = 0; i < HistoryFile::kEntriesMax + 5; ++i) file << "entry " << i << "\n";
  }
  HistoryFile history(path_, "");
  EXPECT_EQ(history.entries().size(), HistoryFile::kEntriesMax);
  EXPECT_EQ(history.entries().front(), "entry 5");
  EXPECT_EQ(HistoryFile(path_, "").entries().front(), "entry 5");
}

TEST_F(HistoryFileTest, FollowsNoLinkAndStandsWhatCannotBeWritten) {
  ASSERT_EQ(::symlink("/etc/passwd", path_.c_str()), 0);
  HistoryFile linked(path_, "");
  EXPECT_TRUE(linked.entries().empty());
  EXPECT_TRUE(linked.add("SELECT 1"));
  EXPECT_TRUE(HistoryFile("/no/such/folder/history", "").add("SELECT 1"));
  EXPECT_TRUE(HistoryFile("", "").add("SELECT 1"));
}

}  // namespace partita::tools
