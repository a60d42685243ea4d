#include "server/directory/private_files.h"

#include "server/directory/data_directory.h"
#include "storage/test_store.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

namespace partita::server {
namespace {

unsigned mode_of(const std::string& path) {
  struct stat status{};
  EXPECT_EQ(::lstat(path.c_str(), &status), 0) << path;
  return status.st_mode & 07777;
}

// The mask of the process, put back at the end.
class Mask {
 public:
  explicit Mask(mode_t mask) : before_(::umask(mask)) {}
  ~Mask() { ::umask(before_); }

 private:
  mode_t before_;
};

}  // namespace

TEST(PrivateFiles, NobodyElseReadsWhatIsWritten) {
  const Mask mask(022);
  TemporaryDirectory temporary;
  write_for_owner_only();
  const std::string path = temporary.path() + "/data";
  ASSERT_TRUE(DataDirectory::open(path));
  EXPECT_EQ(mode_of(path), 0700u);
  EXPECT_EQ(mode_of(path + "/store"), 0700u);
  EXPECT_EQ(mode_of(path + "/tls"), 0700u);
  EXPECT_EQ(mode_of(path + "/FORMAT"), 0600u);
  EXPECT_EQ(mode_of(path + "/lock"), 0600u);
  std::ofstream(path + "/store/later") << "a table";
  EXPECT_EQ(mode_of(path + "/store/later"), 0600u);
}

TEST(PrivateFiles, AnOldDirectoryIsClosed) {
  const Mask mask(0);
  TemporaryDirectory temporary;
  const std::string path = temporary.path() + "/data";
  std::filesystem::create_directories(path + "/tls");
  std::ofstream(path + "/tls/private-key.pem") << "secret";
  ::chmod((path + "/tls/private-key.pem").c_str(), 0644);
  std::filesystem::create_directory(temporary.path() + "/elsewhere");
  std::filesystem::create_directory(path + "/store");
  std::ofstream(path + "/FORMAT") << "partita 2\n";
  std::filesystem::create_symlink(temporary.path() + "/elsewhere", path + "/store/link");
  EXPECT_EQ(mode_of(path), 0777u);
  ASSERT_TRUE(DataDirectory::open(path));
  EXPECT_EQ(mode_of(path), 0700u);
  EXPECT_EQ(mode_of(path + "/tls"), 0700u);
  EXPECT_EQ(mode_of(path + "/tls/private-key.pem"), 0600u);
  EXPECT_EQ(mode_of(temporary.path() + "/elsewhere"), 0777u);
}

// Somebody's own directory is not the server's to close.
TEST(PrivateFiles, WhatIsNotTheServersStaysAsItIs) {
  const Mask mask(022);
  TemporaryDirectory temporary;
  const std::string path = temporary.path() + "/home";
  std::filesystem::create_directories(path + "/pictures");
  ASSERT_TRUE(DataDirectory::open(path));
  EXPECT_EQ(mode_of(path), 0755u);
  EXPECT_EQ(mode_of(path + "/pictures"), 0755u);
  EXPECT_EQ(mode_of(path + "/store"), 0700u);
  EXPECT_EQ(mode_of(path + "/FORMAT"), 0600u);
}

TEST(PrivateFiles, SaysWhatCannotBeClosed) { EXPECT_EQ(make_private("/no/such/directory"), "/no/such/directory"); }

}  // namespace partita::server
