#include "storage/table_file.h"

#include "base/must_not_wait.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <utility>

namespace partita {
namespace {

bool is_in_memory(int file) {
  struct statfs system = {};
  return ::fstatfs(file, &system) == 0 && (system.f_type == TMPFS_MAGIC || system.f_type == RAMFS_MAGIC);
}

// A second descriptor of the same file, because RocksDB keeps its own to itself.
class TableFile final : public rocksdb::FSRandomAccessFileOwnerWrapper {
 public:
  TableFile(std::unique_ptr<rocksdb::FSRandomAccessFile> file, int descriptor)
      : FSRandomAccessFileOwnerWrapper(std::move(file)), descriptor_(descriptor) {}
  ~TableFile() override { ::close(descriptor_); }

  rocksdb::IOStatus Read(uint64_t offset, size_t bytes, const rocksdb::IOOptions& options, rocksdb::Slice* result, char* scratch,
                         rocksdb::IODebugContext* debug) const override {
    if (MustNotWait::applies()) return read_at_once(offset, bytes, result, scratch);
    return target()->Read(offset, bytes, options, result, scratch, debug);
  }
  rocksdb::IOStatus MultiRead(rocksdb::FSReadRequest* requests, size_t count, const rocksdb::IOOptions& options,
                              rocksdb::IODebugContext* debug) override {
    if (!MustNotWait::applies()) return target()->MultiRead(requests, count, options, debug);
    for (size_t n = 0; n < count; ++n) {
      rocksdb::FSReadRequest& request = requests[n];
      request.status = read_at_once(request.offset, request.len, &request.result, request.scratch);
    }
    return rocksdb::IOStatus::OK();
  }
  // Only tells the system what will be read.
  rocksdb::IOStatus Prefetch(uint64_t offset, size_t bytes, const rocksdb::IOOptions& options,
                             rocksdb::IODebugContext* debug) override {
    return MustNotWait::applies() ? rocksdb::IOStatus::OK() : target()->Prefetch(offset, bytes, options, debug);
  }

 private:
  rocksdb::IOStatus read_at_once(uint64_t offset, size_t bytes, rocksdb::Slice* result, char* scratch) const {
    size_t read = 0;
    while (read < bytes) {
      const iovec rest{scratch + read, bytes - read};
      const ssize_t got = ::preadv2(descriptor_, &rest, 1, static_cast<off_t>(offset + read), RWF_NOWAIT);
      if (got < 0) return would_wait();
      if (got == 0) break;  // the end of the file
      read += static_cast<size_t>(got);
    }
    *result = {scratch, read};
    return rocksdb::IOStatus::OK();
  }

  const int descriptor_;
};

}  // namespace

rocksdb::IOStatus would_wait() {
  MustNotWait::note_refusal();
  return rocksdb::IOStatus::Busy("others wait for this thread");
}

std::unique_ptr<rocksdb::FSRandomAccessFile> table_file(const std::string& path,
                                                        std::unique_ptr<rocksdb::FSRandomAccessFile> file) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return file;
  if (is_in_memory(descriptor)) {
    ::close(descriptor);
    return file;
  }
  return std::make_unique<TableFile>(std::move(file), descriptor);
}

}  // namespace partita
