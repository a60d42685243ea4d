#pragma once

#include "storage/store.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

// For the tests of this room and of those above it.
namespace partita {

// TemporaryDirectory: an empty directory that disappears with the object.
class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    std::string pattern = testing::TempDir() + "partita-XXXXXX";
    if (::mkdtemp(pattern.data()) == nullptr) std::abort();
    path_ = pattern;
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  ~TemporaryDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// TestStore: a small store of its own. Relaxed by default, because most tests are about something else than the disk.
class TestStore {
 public:
  explicit TestStore(Durability durability = Durability::kRelaxed, std::shared_ptr<Disk> disk = nullptr)
      : durability_(durability), disk_(std::move(disk)) {
    open();
  }

  Store& operator*() { return *store_; }
  Store* operator->() { return store_.get(); }
  void close() { store_.reset(); }
  void reopen() {
    close();
    open();
  }

 private:
  void open() {
    StoreOptions options;
    options.directory = directory_.path();
    options.durability = durability_;
    options.disk = disk_;
    options.cache_bytes = 1 << 20;
    options.memtable_bytes = 8 << 20;
    Result<std::unique_ptr<Store>> opened = Store::open(options);
    if (!opened) {
      ADD_FAILURE() << opened.error().message;
      std::abort();
    }
    store_ = *std::move(opened);
  }

  TemporaryDirectory directory_;
  Durability durability_;
  std::shared_ptr<Disk> disk_;  // null: the machine's
  std::unique_ptr<Store> store_;
};

// FailingDisk: while it lives, no file of this process can grow beyond a megabyte: writes of a store fail.
class FailingDisk {
 public:
  static constexpr rlim_t kFileBytesMax = 1 << 20;

  FailingDisk() {
    std::signal(SIGXFSZ, SIG_IGN);  // so that writes fail instead of ending the process
    EXPECT_EQ(::getrlimit(RLIMIT_FSIZE, &before_), 0);
    const rlimit small{kFileBytesMax, before_.rlim_max};
    EXPECT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  }
  FailingDisk(const FailingDisk&) = delete;
  FailingDisk& operator=(const FailingDisk&) = delete;
  ~FailingDisk() { EXPECT_EQ(::setrlimit(RLIMIT_FSIZE, &before_), 0); }

 private:
  rlimit before_{};
};

using Rows = std::vector<std::pair<std::string, std::string>>;

// Every row of a family, in order.
inline Rows rows_of(const Store& store, Family family) {
  Rows rows;
  Cursor cursor = store.cursor(family, "", std::string(64, '\xFF'));
  for (cursor.seek_first(); cursor.valid(); cursor.next()) rows.emplace_back(cursor.key(), cursor.value());
  EXPECT_TRUE(cursor.status());
  return rows;
}

}  // namespace partita
