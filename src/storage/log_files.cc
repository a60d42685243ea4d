#include "storage/log_files.h"

#include "storage/log_end.h"
#include "storage/rocks.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace partita {
namespace {

constexpr std::string_view kLogSuffix = ".log";
constexpr uint64_t kZeroedBytes = 1 << 20;  // at a time
// Written at once, so much is not worth zeroing for: the sync is expensive anyway.
constexpr size_t kLargeBytes = 256 * 1024;

// REQUIRES: the file is at its beginning.
rocksdb::IOStatus find_end(rocksdb::FSSequentialFile& file, uint64_t& end) {
  std::string scratch(kLogBlockBytes, '\0');
  rocksdb::Slice block;
  end = 0;
  do {
    rocksdb::IOStatus read = file.Read(kLogBlockBytes, {}, &block, scratch.data(), nullptr);
    if (!read.ok()) return read;
    if (const std::optional<size_t> found = find_log_end(rocks::view(block))) {
      end += *found;
      return read;
    }
    end += block.size();
  } while (block.size() == kLogBlockBytes);
  return rocksdb::IOStatus::OK();
}

}  // namespace

struct LogFiles::Log {
  rocksdb::IOStatus write(const rocksdb::Slice& bytes, const rocksdb::IOOptions& options);
  void zero_ahead(const rocksdb::IOOptions& options);

  std::unique_ptr<rocksdb::FSWritableFile> file;
  std::unique_ptr<rocksdb::FSDirectory> directory;
  // Of whoever appends: RocksDB lets one at a time.
  bool follows_synced_logs = false;
  uint64_t written_bytes = 0;
  uint64_t zeroed_up_to = 0;

  std::atomic<bool> has_unsynced_bytes = false;
  std::atomic<bool> has_dropped_bytes = false;

  std::mutex syncing;             // held during a sync, so that who finds nothing to sync knows it is on disk
  bool is_entry_durable = false;  // that of the directory; guarded by syncing
  bool is_closed = false;         // guarded by syncing
};

// What RocksDB holds of a log.
class LogFiles::Writer : public rocksdb::FSWritableFileWrapper {
 public:
  Writer(LogFiles& files, std::shared_ptr<Log> log)
      : FSWritableFileWrapper(log->file.get()), files_(files), log_(std::move(log)) {}
  ~Writer() override { files_.close(*log_); }

  rocksdb::IOStatus Append(const rocksdb::Slice& bytes, const rocksdb::IOOptions& options,
                           rocksdb::IODebugContext* /*debug*/) override {
    files_.append(*log_, bytes, options);
    return rocksdb::IOStatus::OK();
  }
  rocksdb::IOStatus Append(const rocksdb::Slice& bytes, const rocksdb::IOOptions& options,
                           const rocksdb::DataVerificationInfo& /*verification*/, rocksdb::IODebugContext* debug) override {
    return Append(bytes, options, debug);
  }
  rocksdb::IOStatus Sync(const rocksdb::IOOptions& /*options*/, rocksdb::IODebugContext* /*debug*/) override {
    files_.sync_log(*log_);
    return rocksdb::IOStatus::OK();
  }
  rocksdb::IOStatus Fsync(const rocksdb::IOOptions& options, rocksdb::IODebugContext* debug) override {
    return Sync(options, debug);
  }
  // Zeros are written ahead instead. RocksDB would take as much space at once as the memtables can have, on a disk that may have
  // just become full.
  void PrepareWrite(size_t /*offset*/, size_t /*bytes*/, const rocksdb::IOOptions& /*options*/,
                    rocksdb::IODebugContext* /*debug*/) override {}
  uint64_t GetFileSize(const rocksdb::IOOptions& /*options*/, rocksdb::IODebugContext* /*debug*/) override {
    return log_->written_bytes;
  }
  // Its tail may be missing already; what matters is what was synced.
  rocksdb::IOStatus Close(const rocksdb::IOOptions& options, rocksdb::IODebugContext* debug) override {
    files_.close(*log_);
    return log_->file->Close(options, debug);
  }

 private:
  LogFiles& files_;
  std::shared_ptr<Log> log_;
};

// A log from its beginning to its end.
class LogFiles::Reader : public rocksdb::FSSequentialFileOwnerWrapper {
 public:
  Reader(std::unique_ptr<rocksdb::FSSequentialFile> file, uint64_t end)
      : FSSequentialFileOwnerWrapper(std::move(file)), left_bytes_(end) {}

  rocksdb::IOStatus Read(size_t count, const rocksdb::IOOptions& options, rocksdb::Slice* result, char* scratch,
                         rocksdb::IODebugContext* debug) override {
    const size_t wanted = static_cast<size_t>(std::min<uint64_t>(count, left_bytes_));
    rocksdb::IOStatus read = target()->Read(wanted, options, result, scratch, debug);
    if (read.ok()) left_bytes_ -= result->size();
    return read;
  }
  rocksdb::IOStatus Skip(uint64_t count) override {
    const uint64_t skipped = std::min(count, left_bytes_);
    left_bytes_ -= skipped;
    return target()->Skip(skipped);
  }

 private:
  uint64_t left_bytes_;
};

rocksdb::IOStatus LogFiles::NewSequentialFile(const std::string& path, const rocksdb::FileOptions& options,
                                              std::unique_ptr<rocksdb::FSSequentialFile>* file, rocksdb::IODebugContext* debug) {
  rocksdb::IOStatus opened = target()->NewSequentialFile(path, options, file, debug);
  if (!opened.ok() || !path.ends_with(kLogSuffix)) return opened;
  uint64_t end = 0;
  rocksdb::IOStatus found = find_end(**file, end);
  if (!found.ok()) return found;
  opened = target()->NewSequentialFile(path, options, file, debug);
  if (opened.ok()) *file = std::make_unique<Reader>(std::move(*file), end);
  return opened;
}

rocksdb::IOStatus LogFiles::NewWritableFile(const std::string& path, const rocksdb::FileOptions& options,
                                            std::unique_ptr<rocksdb::FSWritableFile>* file, rocksdb::IODebugContext* debug) {
  rocksdb::IOStatus created = target()->NewWritableFile(path, options, file, debug);
  if (!created.ok() || !path.ends_with(kLogSuffix)) return created;
  auto log = std::make_shared<Log>();
  log->file = std::move(*file);
  const std::string directory = path.substr(0, path.find_last_of('/') + 1);
  rocksdb::IOStatus opened = target()->NewDirectory(directory, options.io_options, &log->directory, debug);
  if (!opened.ok()) return opened;
  {
    std::lock_guard lock(mutex_);
    logs_.push_back(log);
  }
  *file = std::make_unique<Writer>(*this, std::move(log));
  return created;
}

void LogFiles::append(Log& log, const rocksdb::Slice& bytes, const rocksdb::IOOptions& options) {
  if (!log.follows_synced_logs) {
    sync_before(&log);
    log.follows_synced_logs = true;
  }
  if (has_failed_.load(std::memory_order_acquire)) {
    log.has_dropped_bytes = true;
    return;
  }
  const rocksdb::IOStatus written = log.write(bytes, options);
  if (!written.ok()) {
    log.has_dropped_bytes = true;
    return note_failure(written);
  }
  log.has_unsynced_bytes.store(true, std::memory_order_release);
}

rocksdb::IOStatus LogFiles::Log::write(const rocksdb::Slice& bytes, const rocksdb::IOOptions& options) {
  if (written_bytes + bytes.size() > zeroed_up_to && bytes.size() < kLargeBytes) zero_ahead(options);
  rocksdb::IOStatus written = file->PositionedAppend(bytes, written_bytes, options, nullptr);
  if (written.ok()) written_bytes += bytes.size();
  return written;
}

// Where it fails, the write that follows will tell if there is no space for that either.
void LogFiles::Log::zero_ahead(const rocksdb::IOOptions& options) {
  static constexpr std::array<char, 64 * 1024> kZeros{};
  static_assert(kZeroedBytes % kZeros.size() == 0 && kZeroedBytes > kLargeBytes);
  uint64_t at = std::max(zeroed_up_to, written_bytes);
  zeroed_up_to = at + kZeroedBytes;
  while (at < zeroed_up_to && file->PositionedAppend({kZeros.data(), kZeros.size()}, at, options, nullptr).ok())
    at += kZeros.size();
}

rocksdb::IOStatus LogFiles::sync() {
  sync_before(nullptr);
  return failure();
}

// All of them when there is no end.
void LogFiles::sync_before(const Log* end) {
  std::vector<std::shared_ptr<Log>> logs;
  {
    std::lock_guard lock(mutex_);
    logs = logs_;
  }
  for (const std::shared_ptr<Log>& log : logs) {
    if (log.get() == end) return;
    sync_log(*log);
  }
}

void LogFiles::sync_log(Log& log) {
  std::lock_guard lock(log.syncing);
  if (log.is_closed || !log.has_unsynced_bytes.exchange(false, std::memory_order_acq_rel)) return;
  rocksdb::IOStatus synced = log.file->Sync({}, nullptr);
  if (synced.ok() && !log.is_entry_durable) synced = log.directory->Fsync({}, nullptr);
  if (!synced.ok()) return note_failure(synced);
  log.is_entry_durable = true;
}

void LogFiles::close(const Log& log) {
  std::shared_ptr<Log> closed;
  {
    std::lock_guard lock(mutex_);
    const auto found = std::ranges::find(logs_, &log, &std::shared_ptr<Log>::get);
    if (found == logs_.end()) return;
    closed = std::move(*found);
    logs_.erase(found);
  }
  std::lock_guard lock(closed->syncing);
  closed->is_closed = true;
}

void LogFiles::note_failure(const rocksdb::IOStatus& reason) {
  std::lock_guard lock(mutex_);
  if (failure_.ok()) failure_ = reason;
  has_failed_.store(true, std::memory_order_release);
}

rocksdb::IOStatus LogFiles::failure() const {
  if (!has_failed_.load(std::memory_order_acquire)) return rocksdb::IOStatus::OK();
  std::lock_guard lock(mutex_);
  return failure_;
}

bool LogFiles::trust_again() {
  std::lock_guard lock(mutex_);
  if (!logs_.empty() && logs_.back()->has_dropped_bytes) return false;
  failure_ = rocksdb::IOStatus::OK();
  has_failed_.store(false, std::memory_order_release);
  return true;
}

}  // namespace partita
