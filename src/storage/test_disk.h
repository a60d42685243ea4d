#pragma once

#include <rocksdb/file_system.h>

#include <atomic>
#include <memory>
#include <string>
#include <utility>

// For the tests of this room and of those above it.
namespace partita {

// TestDisk: the machine's disk, on which writes and syncs fail for lack of space while is_full.
class TestDisk : public rocksdb::FileSystemWrapper {
 public:
  TestDisk() : FileSystemWrapper(rocksdb::FileSystem::Default()) {}
  const char* Name() const override { return "test-disk"; }

  rocksdb::IOStatus NewWritableFile(const std::string& path, const rocksdb::FileOptions& options,
                                    std::unique_ptr<rocksdb::FSWritableFile>* file, rocksdb::IODebugContext* debug) override {
    std::unique_ptr<rocksdb::FSWritableFile> real;
    rocksdb::IOStatus status = target()->NewWritableFile(path, options, &real, debug);
    if (status.ok()) *file = std::make_unique<File>(*this, std::move(real));
    return status;
  }

  std::atomic<bool> is_full = false;

 private:
  class File : public rocksdb::FSWritableFileOwnerWrapper {
   public:
    File(const TestDisk& disk, std::unique_ptr<rocksdb::FSWritableFile> real)
        : FSWritableFileOwnerWrapper(std::move(real)), disk_(disk) {}

    rocksdb::IOStatus Append(const rocksdb::Slice& bytes, const rocksdb::IOOptions& options,
                             rocksdb::IODebugContext* debug) override {
      return disk_.is_full ? rocksdb::IOStatus::NoSpace() : target()->Append(bytes, options, debug);
    }
    rocksdb::IOStatus Append(const rocksdb::Slice& bytes, const rocksdb::IOOptions& options,
                             const rocksdb::DataVerificationInfo& /*checksum*/, rocksdb::IODebugContext* debug) override {
      return Append(bytes, options, debug);
    }
    rocksdb::IOStatus PositionedAppend(const rocksdb::Slice& bytes, uint64_t offset, const rocksdb::IOOptions& options,
                                       rocksdb::IODebugContext* debug) override {
      return disk_.is_full ? rocksdb::IOStatus::NoSpace() : target()->PositionedAppend(bytes, offset, options, debug);
    }
    rocksdb::IOStatus Sync(const rocksdb::IOOptions& options, rocksdb::IODebugContext* debug) override {
      return disk_.is_full ? rocksdb::IOStatus::NoSpace() : target()->Sync(options, debug);
    }
    rocksdb::IOStatus Fsync(const rocksdb::IOOptions& options, rocksdb::IODebugContext* debug) override {
      return disk_.is_full ? rocksdb::IOStatus::NoSpace() : target()->Fsync(options, debug);
    }

   private:
    const TestDisk& disk_;
  };
};

}  // namespace partita
