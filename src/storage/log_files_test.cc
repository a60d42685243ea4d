#include "storage/log_files.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

 private:
  IOStatus note(std::string event) {
    events_.push_back(std::move(event));
    return std::exchange(next_, IOStatus::OK());
  }

  class File : public rocksdb::FSWritableFile {
   public:
    File(RecordingDisk& disk, std::string name) : disk_(disk), name_(std::move(name)) {}
    using FSWritableFile::Append;
    IOStatus Append(const rocksdb::Slice& bytes, const rocksdb::IOOptions& /*options*/,
                    rocksdb::IODebugContext* /*debug*/) override {
      return disk_.note(fmt::format("{} += {}", name_, bytes.ToString()));
    }
    IOStatus Close(const rocksdb::IOOptions& /*options*/, rocksdb::IODebugContext* /*debug*/) override { return IOStatus::OK(); }
    IOStatus Flush(const rocksdb::IOOptions& /*options*/, rocksdb::IODebugContext* /*debug*/) override { return IOStatus::OK(); }
    IOStatus Sync(const rocksdb::IOOptions& /*options*/, rocksdb::IODebugContext* /*debug*/) override {
      return disk_.note(fmt::format("sync {}", name_));
    }

   private:
    RecordingDisk& disk_;
    std::string name_;
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
  EXPECT_THAT(disk_->take_events(), ElementsAre("1.log += a", "sync 1.log", "sync the directory", "1.log += b", "sync 1.log"));
}

TEST_F(LogFilesTest, LeavesOtherFilesAlone) {
  const File table = create("1.sst");
  disk_->fail_next(IOStatus::IOError("broken"));
  EXPECT_FALSE(append(table, "a").ok());
  EXPECT_TRUE(files_.sync().ok());
  EXPECT_THAT(disk_->take_events(), ElementsAre("1.sst += a"));
}

TEST_F(LogFilesTest, ALogGetsBytesOnlyWhenThoseBeforeItAreOnDisk) {
  const File first = create("1.log");
  EXPECT_TRUE(append(first, "a").ok());
  const File second = create("2.log");
  EXPECT_THAT(disk_->take_events(), ElementsAre("1.log += a"));
  EXPECT_TRUE(append(second, "b").ok());
  EXPECT_TRUE(append(second, "c").ok());
  EXPECT_THAT(disk_->take_events(), ElementsAre("sync 1.log", "sync the directory", "2.log += b", "2.log += c"));
  EXPECT_TRUE(files_.sync().ok());
  EXPECT_THAT(disk_->take_events(), ElementsAre("sync 2.log", "sync the directory"));
}

TEST_F(LogFilesTest, HidesAFailedWriteAndDropsWhatFollows) {
  const File log = create("1.log");
  disk_->fail_next(IOStatus::NoSpace("full"));
  EXPECT_TRUE(append(log, "a").ok());
  EXPECT_TRUE(append(log, "b").ok());
  EXPECT_THAT(disk_->take_events(), ElementsAre("1.log += a"));
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
  EXPECT_THAT(disk_->take_events(), ElementsAre("2.log += b", "sync 2.log", "sync the directory"));
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
