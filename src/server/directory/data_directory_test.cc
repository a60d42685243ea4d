#include "server/directory/data_directory.h"

#include "storage/test_store.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace partita::server {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::string contents(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string refusal(const std::string& path) {
  const Result<DataDirectory> directory = DataDirectory::open(path);
  return directory ? "opened" : directory.error().message;
}

}  // namespace

TEST(DataDirectory, IsMadeWithEverythingInIt) {
  TemporaryDirectory temporary;
  const std::string path = temporary.path() + "/a/b";
  const Result<DataDirectory> directory = DataDirectory::open(path);
  ASSERT_TRUE(directory);
  EXPECT_EQ(contents(path + "/FORMAT"), "partita 3\n");
  EXPECT_EQ(contents(path + "/lock"), fmt::format("{}\n", ::getpid()));
  EXPECT_TRUE(std::filesystem::is_directory(directory->tls_path()));
  EXPECT_EQ(directory->store_path(), path + "/store");
}

TEST(DataDirectory, IsForOneAtATime) {
  TemporaryDirectory temporary;
  {
    const Result<DataDirectory> first = DataDirectory::open(temporary.path());
    ASSERT_TRUE(first);
    EXPECT_THAT(refusal(temporary.path()),
                AllOf(HasSubstr(fmt::format("another server (process {})", ::getpid())), HasSubstr("--data")));
  }
  EXPECT_EQ(refusal(temporary.path()), "opened");
}

TEST(DataDirectory, StaysLockedWhenItMoves) {
  TemporaryDirectory temporary;
  Result<DataDirectory> first = DataDirectory::open(temporary.path());
  const DataDirectory moved = std::move(*first);
  first = fail(ErrorCode::kInternal, "");
  EXPECT_THAT(refusal(temporary.path()), HasSubstr("another server"));
}

TEST(DataDirectory, OfANewerFormatIsRefusedAndLeftAlone) {
  TemporaryDirectory temporary;
  for (const char* text : {"partita 4\n", "partita 4 from 3\n"}) {
    std::ofstream(temporary.path() + "/FORMAT") << text;
    EXPECT_THAT(refusal(temporary.path()),
                AllOf(HasSubstr("newer version (format 4, this one reads up to 3)"), HasSubstr(temporary.path())));
    EXPECT_EQ(contents(temporary.path() + "/FORMAT"), text);
  }
}

TEST(DataDirectory, OfAnOlderFormatIsRefusedAndLeftAlone) {
  TemporaryDirectory temporary;
  std::ofstream(temporary.path() + "/FORMAT") << "partita 1\n";
  EXPECT_THAT(refusal(temporary.path()), HasSubstr("it has format 1"));
  EXPECT_EQ(contents(temporary.path() + "/FORMAT"), "partita 1\n");
}

TEST(DataDirectory, ThatIsSomethingElseIsRefused) {
  TemporaryDirectory temporary;
  for (const char* text : {"", "postgres 14\n", "partita\n", "partita x\n", "partita 0\n", "partita 3 from\n",
                           "partita 3 from 1\n", "partita 3 to 2\n"}) {
    std::ofstream(temporary.path() + "/FORMAT") << text;
    EXPECT_THAT(refusal(temporary.path()), HasSubstr("not one of Partita's")) << text;
  }
}

TEST(DataDirectory, WithAStoreButNoFormatIsRefused) {
  TemporaryDirectory temporary;
  std::filesystem::create_directory(temporary.path() + "/store");
  EXPECT_THAT(refusal(temporary.path()), HasSubstr("no file FORMAT"));
}

TEST(DataDirectory, ThatIsNotThereIsNotMadeForATool) {
  TemporaryDirectory temporary;
  const std::string path = temporary.path() + "/misspelt";
  const Status verdict = DataDirectory::expect(path);
  ASSERT_FALSE(verdict);
  EXPECT_THAT(verdict.error().message, AllOf(HasSubstr(path), HasSubstr("it holds no server's data")));
  EXPECT_FALSE(std::filesystem::exists(path));
  EXPECT_FALSE(DataDirectory::expect(temporary.path()));
  ASSERT_TRUE(DataDirectory::open(path));
  EXPECT_TRUE(DataDirectory::expect(path));
}

TEST(DataDirectory, ThatIsAFileIsRefused) {
  TemporaryDirectory temporary;
  std::ofstream(temporary.path() + "/file") << "x";
  EXPECT_THAT(refusal(temporary.path() + "/file"), HasSubstr("cannot be used"));
}

TEST(DataDirectory, InTheMidstOfAnUpgradeIsStillOfTheFormatBefore) {
  TemporaryDirectory temporary;
  std::ofstream(temporary.path() + "/FORMAT") << "partita 2\n";
  {
    Result<DataDirectory> directory = DataDirectory::open(temporary.path());
    ASSERT_TRUE(directory) << directory.error().message;
    ASSERT_TRUE(directory->begin_upgrade());
    EXPECT_EQ(contents(temporary.path() + "/FORMAT"), "partita 3 from 2\n");
  }
  Result<DataDirectory> directory = DataDirectory::open(temporary.path());
  ASSERT_TRUE(directory) << directory.error().message;
  EXPECT_EQ(directory->format(), 2);
  ASSERT_TRUE(directory->end_upgrade());
  EXPECT_EQ(directory->format(), 3);
  EXPECT_EQ(contents(temporary.path() + "/FORMAT"), "partita 3\n");
}

TEST(DataDirectory, IsReadWithoutAnyChange) {
  TemporaryDirectory temporary;
  std::ofstream(temporary.path() + "/FORMAT") << "partita 2\n";
  const Result<DataDirectory> directory = DataDirectory::open_to_read(temporary.path());
  ASSERT_TRUE(directory) << directory.error().message;
  EXPECT_EQ(directory->format(), 2);
  const auto files = std::filesystem::directory_iterator(temporary.path());
  EXPECT_EQ(std::distance(begin(files), end(files)), 1) << "there is only FORMAT";
}

TEST(DataDirectory, IsReadByManyButNotWhileAServerUsesIt) {
  TemporaryDirectory temporary;
  {
    const Result<DataDirectory> server = DataDirectory::open(temporary.path());
    ASSERT_TRUE(server);
    const Result<DataDirectory> refused = DataDirectory::open_to_read(temporary.path());
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().message, HasSubstr("another server"));
  }
  const Result<DataDirectory> first = DataDirectory::open_to_read(temporary.path());
  EXPECT_TRUE(first);
  EXPECT_TRUE(DataDirectory::open_to_read(temporary.path()));
  EXPECT_THAT(refusal(temporary.path()), HasSubstr("another server"));
}

TEST(DataDirectory, ThatIsNotThereIsNotMadeByReading) {
  TemporaryDirectory temporary;
  EXPECT_FALSE(DataDirectory::open_to_read(temporary.path() + "/missing"));
  EXPECT_FALSE(std::filesystem::exists(temporary.path() + "/missing"));
}

}  // namespace partita::server
