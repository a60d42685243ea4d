#pragma once

#include <rocksdb/file_system.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
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
//
// A log's file is filled with zeros ahead of what is written. Overwriting needs no change of the file system's own records, so
// that a sync costs half as much as it does when the file grows.
class LogFiles : public rocksdb::FileSystemWrapper {
 public:
  explicit LogFiles(const std::shared_ptr<rocksdb::FileSystem>& disk) : FileSystemWrapper(disk) {}

  const char* Name() const override { return "partita-log-files"; }
  rocksdb::IOStatus NewSequentialFile(const std::string& path, const rocksdb::FileOptions& options,
                                      std::unique_ptr<rocksdb::FSSequentialFile>* file, rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus NewWritableFile(const std::string& path, const rocksdb::FileOptions& options,
                                    std::unique_ptr<rocksdb::FSWritableFile>* file, rocksdb::IODebugContext* debug) override;

  // What was appended so far; the first failure since the last trust_again(), again and again.
  rocksdb::IOStatus sync();
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

  mutable std::mutex mutex_;
  std::vector<std::shared_ptr<Log>> logs_;  // the open ones, oldest first
  rocksdb::IOStatus failure_;
  std::atomic<bool> has_failed_ = false;  // is there a failure_?
};

}  // namespace partita
