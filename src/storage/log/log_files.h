#pragma once

#include "storage/log/log_ledger.h"

#include <rocksdb/file_system.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace partita {

// LogFiles: the file system given to RocksDB. It stands between RocksDB and the files of its write-ahead log, so that the log can
// be synced while RocksDB writes on, and so that a failure of the log is ours to handle.
//
// RocksDB takes a write that meets a log which has just failed for a second, fatal failure. Here it never learns of the first:
// bytes after a failure are dropped and sync() tells. Whoever calls sync() then keeps writers away, has all memtables written out
// (which ends the use of the failed file), and calls trust_again().
//
// Thread-safe. Invariants:
// 1. sync() succeeds only when every byte that was appended before it was called is on disk.
// 2. A log gets bytes only when all logs before it are on disk as a whole: what is replayed after a crash has no gap between
// files.
// 3. Nothing is written to a log behind bytes that were dropped.
// 4. A log is read up to its first gap only, whatever a power cut has left behind it.
// 5. The ledger never demands what is not on disk: a log is noted after it was synced, and forgotten before it is deleted.
// 6. When sync() succeeds, the ledger knows of every log with something in it, and demands that its file reaches beyond that. So
// one that is missing or cut off is always noticed. How much of it can be read is noted within kLedgerInterval: not at once,
// because that would be a second sync for each.
//
// A log's file is filled with zeros ahead of what is written. Overwriting needs no change of the file system's own records, so
// that a sync costs half as much as it does when the file grows. Long before, it gets a length that is noted in the ledger; what
// is behind the zeros takes no space.
class LogFiles : public rocksdb::FileSystemWrapper {
 public:
  static constexpr std::chrono::seconds kLedgerInterval{1};

  explicit LogFiles(const std::shared_ptr<rocksdb::FileSystem>& disk) : FileSystemWrapper(disk) {}
  ~LogFiles() override;

  // From now on logs are noted there, those of these demands included. At most once, before any log is made.
  void keep(std::unique_ptr<LogLedger> ledger, const std::vector<LogDemand>& demands);
  // This file is read as if it ended there.
  void show_only(const std::string& path, uint64_t end) { shown_ends_[path] = end; }

  const char* Name() const override { return "partita-log-files"; }
  rocksdb::IOStatus NewSequentialFile(const std::string& path, const rocksdb::FileOptions& options,
                                      std::unique_ptr<rocksdb::FSSequentialFile>* file, rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus NewWritableFile(const std::string& path, const rocksdb::FileOptions& options,
                                    std::unique_ptr<rocksdb::FSWritableFile>* file, rocksdb::IODebugContext* debug) override;

  // A table (table_file.h). Where it is missing, RocksDB tells of the name that LevelDB would have given it; people look for the
  // one that it had.
  rocksdb::IOStatus NewRandomAccessFile(const std::string& path, const rocksdb::FileOptions& options,
                                        std::unique_ptr<rocksdb::FSRandomAccessFile>* file,
                                        rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus DeleteFile(const std::string& path, const rocksdb::IOOptions& options,
                               rocksdb::IODebugContext* debug) override;

  // What was appended so far, with the batches up to this serial; the first failure since the last trust_again(), again and
  // again.
  rocksdb::IOStatus sync(uint64_t serial = 0);
  rocksdb::IOStatus failure() const;
  // REQUIRES: nobody appends, and nothing that only a failed log holds is needed any more. False when the newest log has failed
  // itself, so that there is none to go on with.
  bool trust_again();

 private:
  struct Log;
  class Writer;
  class Reader;

  void append(Log& log, const rocksdb::Slice& bytes, const rocksdb::IOOptions& options);
  void sync_before(const Log* end);
  void sync_log(Log& log);
  void close(const Log& log);
  void note_failure(const rocksdb::IOStatus& reason);
  void note_synced(Log& log, uint64_t batch_bytes, uint64_t file_bytes);
  rocksdb::IOStatus forget(uint64_t number);
  rocksdb::IOStatus write_ledger();
  void write_ledger_at_times();

  mutable std::mutex mutex_;
  std::vector<std::shared_ptr<Log>> logs_;  // the open ones, oldest first
  rocksdb::IOStatus failure_;
  std::atomic<bool> has_failed_ = false;  // is there a failure_?

  std::map<std::string, uint64_t> shown_ends_;
  std::unique_ptr<LogLedger> ledger_;      // null: none is kept
  std::mutex writing_;                     // held while the ledger is written
  std::mutex noting_;                      // never held across a write
  std::map<uint64_t, LogDemand> demands_;  // guarded by noting_, as what follows
  uint64_t serial_ = 0;
  bool has_news_ = false;  // that are not in the ledger
  bool stopping_ = false;
  std::condition_variable stop_;
  std::thread writer_;
};

}  // namespace partita
