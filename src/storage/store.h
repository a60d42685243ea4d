#pragma once

#include "base/event.h"
#include "base/memory_budget.h"
#include "base/result.h"
#include "storage/keyspace.h"
#include "storage/sorted_rows.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rocksdb {
class FileSystem;
}  // namespace rocksdb

namespace partita {

class Committer;
class Store;

// What a store's files are on.
using Disk = rocksdb::FileSystem;

// What `apply` has made visible up to; grows with every batch.
using CommitTicket = uint64_t;

enum class Durability {
  kSynced,   // a write is acknowledged when it is on disk
  kRelaxed,  // acknowledged at once, on disk within a moment: for throw-away test runs
};

struct StoreOptions {
  std::string directory;
  Durability durability = Durability::kSynced;
  size_t cache_bytes = 256UL << 20;  // blocks of tables, single rows, and what readers found out of them
  size_t memtable_bytes = 64UL << 20;
  // Nothing in the directory is changed, and nothing can be written. A log is replayed into memory.
  bool is_read_only = false;
  // Of a time when no ledger of the logs was kept (storage/log/log_ledger.h): one that is missing or older is no loss.
  bool has_no_ledger = false;
  // For all files but the ledger; null: the machine's.
  std::shared_ptr<Disk> disk = nullptr;
  // Hears what the store meets or mends by itself; outlives the store. Null: nobody does.
  EventSink* events = nullptr;
};

// All keys that are not before `from` and before `to`.
struct KeyRange {
  std::string from;
  std::string to;
};

// How long callbacks of when_durable() kept the committer's thread from all others who wait.
struct CallbackTimes {
  uint64_t over_1_ms = 0;
  uint64_t over_10_ms = 0;
  uint64_t over_100_ms = 0;
  uint64_t longest_us = 0;
  uint64_t longest_round_processor_us = 0;  // of the thread, for all callbacks of one sync together
};

// WriteBatch: changes that become visible together or not at all. Not thread-safe; clear() keeps the memory.
class WriteBatch {
 public:
  explicit WriteBatch(const Store& store);
  ~WriteBatch();
  WriteBatch(WriteBatch&&) noexcept;
  WriteBatch& operator=(WriteBatch&&) noexcept;

  void put(Family family, std::string_view key, std::string_view value);
  void erase(Family family, std::string_view key);
  // Everything in [from, to).
  void erase_range(Family family, std::string_view from, std::string_view to);
  void clear();
  size_t bytes() const;

 private:
  friend class Store;
  struct State;
  std::unique_ptr<State> state_;
};

// Snapshot: the store as it was at one moment. Thread-safe; keeps old versions alive, so it should be short-lived.
class Snapshot {
 public:
  ~Snapshot();

 private:
  friend class Store;
  struct State;
  explicit Snapshot(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// Cursor: walks the keys of [from, to) of one family in order, over a snapshot taken when it was made. Not thread-safe.
// After !valid(), status() tells whether the end was reached or reading failed.
class Cursor {
 public:
  ~Cursor();
  Cursor(Cursor&&) noexcept;

  void seek_first();
  void seek_last();
  void seek(std::string_view at_or_after);
  bool valid() const;
  void next();
  void previous();
  std::string_view key() const;
  std::string_view value() const;
  Status status() const;

 private:
  friend class Store;
  struct State;
  explicit Cursor(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// Store: ordered byte strings in a few families, one write-ahead log, group commit. The unit of durability and ownership.
//
// Thread-safe. A batch is visible to readers once apply() returns, and durable once when_durable() says so: one committer thread
// writes and syncs the log for all batches applied meanwhile. Whoever acknowledges a write, or answers with what
// a write not yet durable has changed, waits for when_durable() first; then nothing that anybody was told can be lost.
//
// After a failed write or sync the store refuses further writes, with the reason, until it could be brought back (tried every
// second: a full disk that got space again recovers by itself). Reads go on.
class Store {
 public:
  // A callback of when_durable: runs on the committer's thread (or inline when there is nothing to wait for) and must be quick.
  using DurableCallback = std::move_only_function<void(Status)>;

  static Result<std::unique_ptr<Store>> open(StoreOptions options);
  // For a directory whose logs have lost something, so that open() refuses it: gives up what is lost and what was written later.
  // What that was and what was done, for people; empty when nothing is lost.
  static Result<std::vector<std::string>> give_up_losses(const std::string& directory);
  ~Store();
  bool is_read_only() const;
  // For a server: from now on sorted runs are brought together while nobody writes. The listener hears, on a thread of the store,
  // what came of it each time. At most once.
  void merge_when_idle(std::function<void(const Status&)> listener);

  // False when the key does not exist.
  Result<bool> get(Family family, std::string_view key, std::string& value, const Snapshot* at = nullptr) const;
  Cursor cursor(Family family, std::string_view from, std::string_view to, const Snapshot* at = nullptr) const;
  std::shared_ptr<const Snapshot> snapshot() const;
  // While writes are refused: the store as it was when it became durable last. Nothing newer can be told to anybody, and waiting
  // for it would not end. Null while there is no failure, and where nobody waits for that (relaxed durability).
  std::shared_ptr<const Snapshot> durable_snapshot() const;
  // About how many rows of a family each range has, without looking at them: by the bytes that they take.
  std::vector<uint64_t> approximate_rows(Family family, std::span<const KeyRange> ranges) const;

  Result<CommitTicket> apply(WriteBatch& batch);
  // The ticket of the newest visible batch.
  CommitTicket applied() const;
  bool is_durable(CommitTicket ticket) const;
  void when_durable(CommitTicket ticket, DurableCallback callback);
  // Waits for when_durable(); for rare writes and tools.
  Status wait_durable(CommitTicket ticket);
  // Applies and waits.
  Status apply_durably(WriteBatch& batch);

  // Rows that are written in the order of their keys and taken in as whole files.
  SortedRows sorted_rows(Family family);
  // Makes all of them visible at once; durable when it returns. They are newer than what the store has under the same keys.
  // REQUIRES: no two of one family overlap, and nobody reads or writes these keys yet.
  Status ingest(std::vector<SortedRows> rows);

  // The part of the cache's bytes that is for what readers found out of many rows.
  const std::shared_ptr<MemoryBudget>& shared_memory() const;

  // Whether somebody has been writing for long, or is about to: a large batch, or one that waits for the disk. Whoever must not
  // wait leaves to others what would queue behind it.
  bool is_slow() const;

  // Nothing, or why writes are refused at the moment.
  std::optional<std::string> failure() const;
  // Reads every block of every file and verifies its checksum.
  Status verify_checksums() const;
  uint64_t disk_bytes() const;
  uint64_t log_syncs() const;
  CallbackTimes callback_times() const;

 private:
  friend class WriteBatch;
  friend class LargeWrite;
  struct State;
  explicit Store(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// LargeWrite: while one lives, its store is slow. For batches of more than kLargeBatchBytes, before whatever others wait for is
// locked.
class LargeWrite {
 public:
  static constexpr size_t kLargeBatchBytes = 256 << 10;

  LargeWrite(Store& store, const WriteBatch& batch);
  ~LargeWrite();
  LargeWrite(const LargeWrite&) = delete;
  LargeWrite& operator=(const LargeWrite&) = delete;

 private:
  Store* store_;  // null: the batch is small
};

}  // namespace partita
