#include "storage/log/log_files.h"

#include "storage/rocks.h"
#include "storage/test_store.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

namespace partita {
namespace {

using rocksdb::IOStatus;
using testing::ElementsAre;
using testing::IsEmpty;

// RecordingDisk: writes nothing, remembers what it was told, and fails when asked to.
class RecordingDisk : public rocksdb::FileSystemWrapper {
 public:
  RecordingDisk() : FileSystemWrapper(rocksdb::FileSystem::Default()) {}
  const char* Name() const override { return "recording-disk"; }

  IOStatus NewWritableFile(const std::string& path, const rocksdb::FileOptions& /*options*/,
                           std::unique_ptr<rocksdb::FSWritableFile>* file, rocksdb::IODebugContext* /*debug*/) override {
    *file = std::make_unique<File>(*this, path.substr(path.find_last_of('/') + 1));
    return IOStatus::OK();
  }
  IOStatus NewDirectory(const std::string& /*name*/, const rocksdb::IOOptions& /*options*/,
                        std::unique_ptr<rocksdb::FSDirectory>* directory, rocksdb::IODebugContext* /*debug*/) override {
    *directory = std::make_unique<Directory>(*this);
    return IOStatus::OK();
  }

  std::vector<std::string> take_events() { return std::exchange(events_, {}); }
  void fail_next(IOStatus status) { next_ = std::move(status); }

  bool has_space_for_zeros = false;

 private:
  IOStatus note(std::string event) {
    events_.push_back(std::move(event));
    return std::exchange(next_, IOStatus::OK());
  }

  class File : public rocksdb::FSWritableFile {
   public:
    File(RecordingDisk& disk, std::string name) : disk_(disk), name_(std::move(name)) {}
    IOStatus Append(const rocksdb::Slice& /*bytes*/, const rocksdb::IOOptions& /*options*/,
                    rocksdb::IODebugContext* /*debug*/) override {
      return IOStatus::NotSupported();
    }
    IOStatus PositionedAppend(const rocksdb::Slice& bytes, uint64_t offset, const rocksdb::IOOptions& /*options*/,
                              rocksdb::IODebugContext* /*debug*/) override {
      const bool is_zeros = std::ranges::all_of(rocks::view(bytes), [](char c) { return c == '\0'; });
      if (!is_zeros) return disk_.note(fmt::format("{}@{} = {}", name_, offset, shown(bytes.ToString())));
      if (!disk_.has_space_for_zeros) return IOStatus::NoSpace();
      EXPECT_EQ(offset, zeroed_up_to_) << "zeros follow each other, behind what is written";
      zeroed_up_to_ = offset + bytes.size();
      if (zeroed_up_to_ % (1 << 20) == 0) return disk_.note(fmt::format("{} is zeroed up to {} MB", name_, zeroed_up_to_ >> 20));
      return IOStatus::OK();
    }
    IOStatus Close(const rocksdb::IOOptions& /*options*/, rocksdb::IODebugContext* /*debug*/) override { return IOStatus::OK(); }
    IOStatus Flush(const rocksdb::IOOptions& /*options*/, rocksdb::IODebugContext* /*debug*/) override { return IOStatus::OK(); }
    IOStatus Sync(const rocksdb::IOOptions& /*options*/, rocksdb::IODebugContext* /*debug*/) override {
      return disk_.note(fmt::format("sync {}", name_));
    }

   private:
    static std::string shown(std::string bytes) {
      return bytes.size() < 10 ? bytes : fmt::format("{} times {}", bytes.size(), bytes.front());
    }
    RecordingDisk& disk_;
    std::string name_;
    uint64_t zeroed_up_to_ = 0;
  };

  class Directory : public rocksdb::FSDirectory {
   public:
    explicit Directory(RecordingDisk& disk) : disk_(disk) {}
    IOStatus Fsync(const rocksdb::IOOptions& /*options*/, rocksdb::IODebugContext* /*debug*/) override {
      return disk_.note("sync the directory");
    }

   private:
    RecordingDisk& disk_;
  };

  std::vector<std::string> events_;
  IOStatus next_;
};

class LogFilesTest : public testing::Test {
 protected:
  using File = std::unique_ptr<rocksdb::FSWritableFile>;

  File create(const std::string& name) {
    File file;
    EXPECT_TRUE(files_.NewWritableFile("/data/" + name, {}, &file, nullptr).ok());
    return file;
  }
  // As RocksDB sees it.
  IOStatus append(const File& file, std::string_view bytes) {
    return file->Append(rocksdb::Slice(bytes.data(), bytes.size()), {}, nullptr);
  }

  std::shared_ptr<RecordingDisk> disk_ = std::make_shared<RecordingDisk>();
  LogFiles files_{disk_};
};

}  // namespace

TEST_F(LogFilesTest, SyncsWhatIsNewAndTheDirectoryOnce) {
  const File log = create("1.log");
  EXPECT_TRUE(append(log, "a").ok());
  EXPECT_TRUE(files_.sync().ok());
  EXPECT_TRUE(files_.sync().ok());
  EXPECT_TRUE(append(log, "b").ok());
  EXPECT_TRUE(files_.sync().ok());
  EXPECT_THAT(disk_->take_events(), ElementsAre("1.log@0 = a", "sync 1.log", "sync the directory", "1.log@1 = b", "sync 1.log"));
}

TEST_F(LogFilesTest, LeavesOtherFilesAlone) {
  const File table = create("1.sst");
  EXPECT_TRUE(append(table, "a").IsNotSupported()) << "it is the disk's own file";
  EXPECT_TRUE(files_.sync().ok());
  EXPECT_THAT(disk_->take_events(), IsEmpty());
}

TEST_F(LogFilesTest, ZeroesAheadOfWhatIsWritten) {
  disk_->has_space_for_zeros = true;
  const File log = create("1.log");
  EXPECT_TRUE(append(log, "a").ok());
  EXPECT_TRUE(append(log, "b").ok());
  EXPECT_THAT(disk_->take_events(), ElementsAre("1.log is zeroed up to 1 MB", "1.log@0 = a", "1.log@1 = b"));
  const std::string some(200'000, 'x');
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(append(log, some).ok());
  disk_->take_events();
  EXPECT_TRUE(append(log, some).ok());
  EXPECT_THAT(disk_->take_events(), ElementsAre("1.log is zeroed up to 2 MB", "1.log@1000002 = 200000 times x"));
  EXPECT_EQ(log->GetFileSize({}, nullptr), 1'200'002u) << "zeros do not count";
}

TEST_F(LogFilesTest, ZeroesNothingForWhatIsLarge) {
  disk_->has_space_for_zeros = true;
  const File log = create("1.log");
  EXPECT_TRUE(append(log, std::string(300'000, 'x')).ok());
  EXPECT_THAT(disk_->take_events(), ElementsAre("1.log@0 = 300000 times x"));
}

TEST_F(LogFilesTest, ALackOfSpaceForZerosIsNoFailure) {
  disk_->has_space_for_zeros = false;
  const File log = create("1.log");
  EXPECT_TRUE(append(log, "a").ok());
  EXPECT_TRUE(files_.sync().ok());
}

TEST(LogFiles, ALogIsReadUpToItsFirstGap) {
  const std::string record("sum.\3\0\1one", 10);
  const TemporaryDirectory directory;
  const std::string path = directory.path() + "/1.log";
  std::ofstream(path) << record << record << std::string(7, '\0') << record << std::string(5000, '\0');
  LogFiles files(rocksdb::FileSystem::Default());
  std::unique_ptr<rocksdb::FSSequentialFile> file;
  ASSERT_TRUE(files.NewSequentialFile(path, {}, &file, nullptr).ok());
  std::string scratch(100, '\0');
  rocksdb::Slice read;
  ASSERT_TRUE(file->Read(15, {}, &read, scratch.data(), nullptr).ok());
  EXPECT_EQ(read.ToString(), (record + record).substr(0, 15));
  ASSERT_TRUE(file->Skip(1).ok());
  ASSERT_TRUE(file->Read(100, {}, &read, scratch.data(), nullptr).ok());
  EXPECT_EQ(read.ToString(), record.substr(6));
  ASSERT_TRUE(file->Read(100, {}, &read, scratch.data(), nullptr).ok());
  EXPECT_TRUE(read.empty());
}

TEST_F(LogFilesTest, ALogGetsBytesOnlyWhenThoseBeforeItAreOnDisk) {
  const File first = create("1.log");
  EXPECT_TRUE(append(first, "a").ok());
  const File second = create("2.log");
  EXPECT_THAT(disk_->take_events(), ElementsAre("1.log@0 = a"));
  EXPECT_TRUE(append(second, "b").ok());
  EXPECT_TRUE(append(second, "c").ok());
  EXPECT_THAT(disk_->take_events(), ElementsAre("sync 1.log", "sync the directory", "2.log@0 = b", "2.log@1 = c"));
  EXPECT_TRUE(files_.sync().ok());
  EXPECT_THAT(disk_->take_events(), ElementsAre("sync 2.log", "sync the directory"));
}

TEST_F(LogFilesTest, HidesAFailedWriteAndDropsWhatFollows) {
  const File log = create("1.log");
  disk_->fail_next(IOStatus::NoSpace("full"));
  EXPECT_TRUE(append(log, "a").ok());
  EXPECT_TRUE(append(log, "b").ok());
  EXPECT_THAT(disk_->take_events(), ElementsAre("1.log@0 = a"));
  EXPECT_TRUE(files_.sync().IsNoSpace());
  EXPECT_TRUE(files_.sync().IsNoSpace()) << "until it is trusted again";
}

TEST_F(LogFilesTest, AFailedSyncStaysAFailureThoughTheNextWouldSucceed) {
  const File log = create("1.log");
  EXPECT_TRUE(append(log, "a").ok());
  disk_->fail_next(IOStatus::IOError("broken"));
  EXPECT_TRUE(log->Sync({}, nullptr).ok()) << "RocksDB's own sync does not learn of it either";
  EXPECT_TRUE(files_.sync().IsIOError());
  EXPECT_TRUE(files_.failure().IsIOError());
}

TEST_F(LogFilesTest, ALogBehindAFailedOneStaysEmpty) {
  const File first = create("1.log");
  EXPECT_TRUE(append(first, "a").ok());
  const File second = create("2.log");
  disk_->take_events();
  disk_->fail_next(IOStatus::IOError("broken"));
  EXPECT_TRUE(append(second, "b").ok());
  EXPECT_THAT(disk_->take_events(), ElementsAre("sync 1.log"));
}

TEST_F(LogFilesTest, GoesOnWithALogThatMissedNothing) {
  const File failed = create("1.log");
  disk_->fail_next(IOStatus::NoSpace("full"));
  EXPECT_TRUE(append(failed, "a").ok());
  EXPECT_FALSE(files_.trust_again()) << "the newest log has a gap";
  EXPECT_FALSE(files_.failure().ok());
  const File next = create("2.log");
  disk_->take_events();
  EXPECT_TRUE(files_.trust_again());
  EXPECT_TRUE(append(next, "b").ok());
  EXPECT_TRUE(files_.sync().ok());
  EXPECT_THAT(disk_->take_events(), ElementsAre("2.log@0 = b", "sync 2.log", "sync the directory"));
}

TEST_F(LogFilesTest, AClosedLogIsNotSyncedAnyMore) {
  File log = create("1.log");
  EXPECT_TRUE(append(log, "a").ok());
  disk_->take_events();
  EXPECT_TRUE(log->Close({}, nullptr).ok());
  EXPECT_TRUE(files_.sync().ok());
  log.reset();
  EXPECT_TRUE(files_.sync().ok());
  EXPECT_THAT(disk_->take_events(), IsEmpty());
}

}  // namespace partita
