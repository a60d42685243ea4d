#include "storage/log/log_files.h"

#include "base/must_not_wait.h"
#include "storage/log/log_end.h"
#include "storage/rocks.h"
#include "storage/table_file.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

namespace partita {
namespace {

constexpr std::string_view kLogSuffix = ".log";
constexpr std::string_view kTableSuffix = ".sst";
constexpr std::string_view kLevelTableSuffix = ".ldb";
constexpr uint64_t kZeroedBytes = 1 << 20;  // at a time
// Written at once, so much is not worth zeroing for: the sync is expensive anyway.
constexpr size_t kLargeBytes = 256 * 1024;
// The length that a file gets beyond what is written. Each time costs a write of the ledger.
constexpr uint64_t kLengthStep = 16 << 20;

// By its name; 0 when that is none.
uint64_t number_of(std::string_view path) {
  const std::string_view name = path.substr(path.find_last_of('/') + 1);
  uint64_t number = 0;
  std::from_chars(name.data(), name.data() + name.size(), number);
  return number;
}

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
  void lengthen(uint64_t end, const rocksdb::IOOptions& options);
  void zero_ahead(const rocksdb::IOOptions& options);

  uint64_t number = 0;
  std::unique_ptr<rocksdb::FSWritableFile> file;
  std::unique_ptr<rocksdb::FSDirectory> directory;
  // Of whoever appends: RocksDB lets one at a time.
  bool follows_synced_logs = false;
  uint64_t written_bytes = 0;
  uint64_t zeroed_up_to = 0;
  BatchEnds batch_ends;

  std::atomic<uint64_t> batch_bytes = 0;  // whole batches that were written
  std::atomic<uint64_t> file_bytes = 0;   // the length that the file was given
  std::atomic<bool> has_length = false;   // does it get one whenever it needs more?
  std::atomic<bool> has_unsynced_bytes = false;
  std::atomic<bool> has_dropped_bytes = false;

  std::mutex syncing;             // held during a sync, so that who finds nothing to sync knows it is on disk
  bool is_entry_durable = false;  // that of the directory; guarded by syncing
  bool is_closed = false;         // guarded by syncing
  bool is_demanded = false;       // by the ledger; guarded by syncing
  uint64_t promised_bytes = 0;    // the ledger demands that the file has so many; guarded by syncing
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
  if (!opened.ok()) return opened;
  if (const auto shown = shown_ends_.find(path); shown != shown_ends_.end()) {
    *file = std::make_unique<Reader>(std::move(*file), shown->second);
    return opened;
  }
  if (!path.ends_with(kLogSuffix)) return opened;
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
  log->number = number_of(path);
  log->has_length = ledger_ != nullptr;
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
  const uint64_t end = written_bytes + bytes.size();
  if (has_length && end > file_bytes.load(std::memory_order_relaxed)) lengthen(end, options);
  if (end > zeroed_up_to && bytes.size() < kLargeBytes) zero_ahead(options);
  rocksdb::IOStatus written = file->PositionedAppend(bytes, written_bytes, options, nullptr);
  if (!written.ok()) return written;
  written_bytes = end;
  batch_ends.note(rocks::view(bytes));
  batch_bytes.store(batch_ends.last(), std::memory_order_release);
  return written;
}

// Where a file cannot have such a length, the ledger demands what it has noted of the batches.
void LogFiles::Log::lengthen(uint64_t end, const rocksdb::IOOptions& options) {
  const uint64_t length = std::max(end, zeroed_up_to) / kLengthStep * kLengthStep + kLengthStep;
  has_length = file->Truncate(length, options, nullptr).ok();
  if (has_length) file_bytes.store(length, std::memory_order_release);
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

rocksdb::IOStatus LogFiles::sync(uint64_t serial) {
  sync_before(nullptr);
  rocksdb::IOStatus status = failure();
  if (status.ok() && ledger_) {
    std::lock_guard lock(noting_);
    serial_ = serial;
    if (!demands_.empty()) demands_.rbegin()->second.serial = serial;
  }
  return status;
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
  // In this order: what was written is within the length.
  const uint64_t batch_bytes = log.batch_bytes.load(std::memory_order_acquire);
  const uint64_t file_bytes = log.file_bytes.load(std::memory_order_acquire);
  rocksdb::IOStatus synced = log.file->Sync({}, nullptr);
  if (synced.ok() && !log.is_entry_durable) synced = log.directory->Fsync({}, nullptr);
  if (!synced.ok()) return note_failure(synced);
  log.is_entry_durable = true;
  if (ledger_ && batch_bytes > 0) note_synced(log, batch_bytes, file_bytes);
}

// REQUIRES: log.syncing is held.
void LogFiles::note_synced(Log& log, uint64_t batch_bytes, uint64_t file_bytes) {
  {
    std::lock_guard lock(noting_);
    const auto [demand, is_new] =
        demands_.try_emplace(log.number, LogDemand{.log = log.number, .serial_before = serial_, .serial = serial_});
    demand->second.batch_bytes = batch_bytes;
    demand->second.file_bytes = file_bytes;
    has_news_ = true;
  }
  if (log.is_demanded && (batch_bytes <= log.promised_bytes || !log.has_length)) return;
  const rocksdb::IOStatus written = write_ledger();
  if (!written.ok()) return note_failure(written);
  log.is_demanded = true;
  log.promised_bytes = file_bytes;
}

void LogFiles::keep(std::unique_ptr<LogLedger> ledger, const std::vector<LogDemand>& demands) {
  ledger_ = std::move(ledger);
  for (const LogDemand& demand : demands) demands_[demand.log] = demand;
  writer_ = std::thread([this] { write_ledger_at_times(); });
}

LogFiles::~LogFiles() {
  if (!ledger_) return;
  {
    std::lock_guard lock(noting_);
    stopping_ = true;
  }
  stop_.notify_one();
  writer_.join();
}

rocksdb::IOStatus LogFiles::write_ledger() {
  std::lock_guard writing(writing_);
  std::vector<LogDemand> demands;
  {
    std::lock_guard lock(noting_);
    for (const auto& [number, demand] : demands_) demands.push_back(demand);
    has_news_ = false;
  }
  rocksdb::IOStatus written = ledger_->write(demands);
  if (!written.ok()) {
    std::lock_guard lock(noting_);
    has_news_ = true;
  }
  return written;
}

// A failure is left to whoever needs the ledger: the next log that is lengthened, made or deleted.
void LogFiles::write_ledger_at_times() {
  std::unique_lock lock(noting_);
  bool is_last = false;
  while (!is_last) {
    is_last = stop_.wait_for(lock, kLedgerInterval, [this] { return stopping_; });
    if (!has_news_) continue;
    lock.unlock();
    (void)write_ledger();
    lock.lock();
  }
}

rocksdb::IOStatus LogFiles::DeleteFile(const std::string& path, const rocksdb::IOOptions& options,
                                       rocksdb::IODebugContext* debug) {
  if (ledger_ && path.ends_with(kLogSuffix)) {
    rocksdb::IOStatus forgotten = forget(number_of(path));
    if (!forgotten.ok()) return forgotten;
  }
  return target()->DeleteFile(path, options, debug);
}

rocksdb::IOStatus LogFiles::forget(uint64_t number) {
  std::shared_ptr<Log> open;
  {
    std::lock_guard lock(mutex_);
    const auto found = std::ranges::find(logs_, number, [](const auto& log) { return log->number; });
    if (found != logs_.end()) open = *found;
  }
  if (open) close(*open);  // so that no sync notes it once more
  {
    std::lock_guard lock(noting_);
    if (demands_.erase(number) == 0) return rocksdb::IOStatus::OK();
  }
  return write_ledger();
}

rocksdb::IOStatus LogFiles::NewRandomAccessFile(const std::string& path, const rocksdb::FileOptions& options,
                                                std::unique_ptr<rocksdb::FSRandomAccessFile>* file,
                                                rocksdb::IODebugContext* debug) {
  if (MustNotWait::applies()) return would_wait();
  rocksdb::IOStatus opened = target()->NewRandomAccessFile(path, options, file, debug);
  if (opened.ok() && path.ends_with(kTableSuffix)) *file = table_file(path, std::move(*file));
  if (!opened.IsPathNotFound() || !path.ends_with(kLevelTableSuffix)) return opened;
  const std::string table = path.substr(0, path.size() - kLevelTableSuffix.size()) + std::string(kTableSuffix);
  return rocksdb::IOStatus::PathNotFound("While opening a table", table);
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
