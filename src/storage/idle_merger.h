#pragma once

#include "base/result.h"

#include <rocksdb/db.h>

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace partita {

// IdleMerger: brings the sorted runs of a store together while nobody writes, because every reader merges them entry by entry.
//
// RocksDB leaves up to three tables that overlap, and whatever is in memory, until more is written. Here memtables that are worth
// it are written out and such tables are merged with the level below, unless that is so large that it would be rewritten for
// little. Has a thread of its own, that looks every ten seconds whether somebody has written. look() is not thread-safe.
class IdleMerger {
 public:
  // Grows with every write; nothing while the store refuses writes.
  using Written = std::function<std::optional<uint64_t>()>;
  using Families = std::vector<rocksdb::ColumnFamilyHandle*>;
  // Hears what came of each time that something was to be brought together.
  using Listener = std::function<void(const Status&)>;

  // Database and families outlive it. `memtable_bytes`: as much in memory is worth a table.
  IdleMerger(rocksdb::DB& db, Families families, Written written, uint64_t memtable_bytes, Listener listener)
      : db_(db),
        families_(std::move(families)),
        written_(std::move(written)),
        memtable_bytes_(memtable_bytes),
        listener_(std::move(listener)) {}
  // Ends what is under way; the database does nothing in the background any more after that.
  ~IdleMerger();
  IdleMerger(const IdleMerger&) = delete;
  IdleMerger& operator=(const IdleMerger&) = delete;

  // Begins to look again and again, and ends that: nobody is asked any more what was written, but something may be under way.
  void start();
  void stop();
  // Merges what there is if nothing was written since the last look.
  void look() { look(written_()); }

 private:
  void run();
  void look(std::optional<uint64_t> written);
  bool merge();
  rocksdb::Status flush();
  rocksdb::Status merge_family(rocksdb::ColumnFamilyHandle* family);

  rocksdb::DB& db_;
  const Families families_;
  const Written written_;
  const uint64_t memtable_bytes_;
  const Listener listener_;
  std::optional<uint64_t> seen_;
  bool is_merged_ = false;  // everything that was written up to seen_

  std::mutex mutex_;
  std::condition_variable wake_;
  bool stopping_ = false;  // guarded by mutex_
  std::thread thread_;
};

}  // namespace partita
