#include "storage/idle_merger.h"

#include "storage/rocks.h"

#include <rocksdb/convenience.h>

#include <chrono>
#include <string>

namespace partita {
namespace {

constexpr std::chrono::seconds kLookInterval{10};
// What is merged must be at least this part of what it is merged with, which is rewritten.
constexpr uint64_t kShareMin = 16;
constexpr uint64_t kTableBytesMax = 64UL << 20;

}  // namespace

IdleMerger::~IdleMerger() {
  stop();
  rocksdb::CancelAllBackgroundWork(&db_, false);
  if (thread_.joinable()) thread_.join();
}

void IdleMerger::start() {
  thread_ = std::thread([this] { run(); });
}

void IdleMerger::stop() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_one();
}

void IdleMerger::run() {
  std::unique_lock lock(mutex_);
  while (!wake_.wait_for(lock, kLookInterval, [this] { return stopping_; })) {
    const std::optional<uint64_t> written = written_();
    lock.unlock();
    look(written);
    lock.lock();
  }
}

void IdleMerger::look(std::optional<uint64_t> written) {
  const bool is_idle = written && written == seen_;
  if (!is_idle) is_merged_ = false;
  seen_ = written;
  if (is_idle && !is_merged_) is_merged_ = merge();
}

// False when it has to be tried again: RocksDB may be merging some of it itself, and what is left is seen at the next look. After
// other failures the next write comes first: a disk without space is not filled again and again.
bool IdleMerger::merge() {
  rocksdb::Status failure = flush();
  bool is_done = true;
  for (rocksdb::ColumnFamilyHandle* family : families_) {
    const rocksdb::Status merged = merge_family(family);
    if (merged.IsAborted()) {
      is_done = false;
    } else if (failure.ok()) {
      failure = merged;
    }
  }
  if (!failure.IsShutdownInProgress()) listener_(rocks::to_status(failure));
  return is_done;
}

rocksdb::Status IdleMerger::flush() {
  uint64_t bytes = 0;
  for (rocksdb::ColumnFamilyHandle* family : families_) {
    uint64_t own = 0;
    if (db_.GetIntProperty(family, rocksdb::DB::Properties::kCurSizeAllMemTables, &own)) bytes += own;
  }
  if (bytes < memtable_bytes_) return rocksdb::Status::OK();
  return db_.Flush(rocksdb::FlushOptions(), families_);
}

rocksdb::Status IdleMerger::merge_family(rocksdb::ColumnFamilyHandle* family) {
  rocksdb::ColumnFamilyMetaData tables;
  db_.GetColumnFamilyMetaData(family, &tables);
  const rocksdb::LevelMetaData& fresh = tables.levels[0];
  const rocksdb::LevelMetaData& below = tables.levels[1];
  const bool is_one_run = fresh.files.empty() || (fresh.files.size() == 1 && below.files.empty());
  if (is_one_run || fresh.size < below.size / kShareMin) return rocksdb::Status::OK();
  std::vector<std::string> names;
  for (const rocksdb::SstFileMetaData& file : fresh.files) names.push_back(file.name);
  rocksdb::CompactionOptions options;
  options.compression = rocksdb::kDisableCompressionOption;  // as the family has it
  options.output_file_size_limit = kTableBytesMax;
  return db_.CompactFiles(options, family, names, 1);
}

}  // namespace partita
