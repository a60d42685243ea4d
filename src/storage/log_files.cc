#include "storage/log_files.h"

#include <algorithm>
#include <string_view>

namespace partita {
namespace {

constexpr std::string_view kLogSuffix = ".log";

}  // namespace

struct LogFiles::Log {
  std::unique_ptr<rocksdb::FSWritableFile> file;
  std::unique_ptr<rocksdb::FSDirectory> directory;
  std::atomic<bool> has_unsynced_bytes = false;
  bool follows_synced_logs = false;  // of whoever appends: RocksDB lets one at a time
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
  // Its tail may be missing already; what matters is what was synced.
  rocksdb::IOStatus Close(const rocksdb::IOOptions& options, rocksdb::IODebugContext* debug) override {
    files_.close(*log_);
    return log_->file->Close(options, debug);
  }

 private:
  LogFiles& files_;
  std::shared_ptr<Log> log_;
};

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
  const rocksdb::IOStatus written = log.file->Append(bytes, options, nullptr);
  if (!written.ok()) {
    log.has_dropped_bytes = true;
    return note_failure(written);
  }
  log.has_unsynced_bytes.store(true, std::memory_order_release);
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
