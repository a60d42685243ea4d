#pragma once

#include "storage/keyspace.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <list>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

namespace partita {

// RowCache: rows that were read lately, for the families of which single rows are read: reading them again costs no search in
// memtables and tables.
//
// Thread-safe. Bounded in bytes; what was not read since its last turn goes first. Invariants:
// 1. A row that is found is as new as a reader of the store would find it: from before a write becomes visible until after it,
// what
//    it touches is neither found nor inserted.
// 2. A row that was read from the store before a write is not inserted after it.
class RowCache {
 public:
  // Names a row in all but a negligible share of cases; two rows of one name only drive each other out.
  using RowHash = uint64_t;
  // When a shard was last written to.
  using Version = uint64_t;

  static bool is_cached(Family family) { return family == Family::kItems || family == Family::kKeys; }
  static RowHash hash_of(Family family, std::string_view key);

  explicit RowCache(size_t bytes_max) : shard_bytes_max_(bytes_max / kShards) {}

  bool find(RowHash row, std::string_view key, std::string& value);
  // To be asked before the row is read from the store.
  Version version(RowHash row);
  void insert(RowHash row, std::string_view key, std::string_view value, Version version);

  // Around the moment in which a batch becomes visible, whether it succeeds or not; one batch at a time. `is_everything`: it
  // touches more than these rows.
  void begin_write(std::span<const RowHash> rows, bool is_everything);
  void end_write(std::span<const RowHash> rows, bool is_everything);

 private:
  struct Row {
    RowHash hash;
    std::string key;
    std::string value;
    bool was_read = false;  // since its last turn

    size_t bytes() const { return sizeof(Row) + key.size() + value.size() + kMapBytes; }
  };
  using Rows = std::list<Row>;
  struct alignas(64) Shard {
    std::mutex mutex;
    Rows rows;  // by turn: the first is asked next whether it was read
    std::unordered_map<RowHash, Rows::iterator> places;
    size_t bytes = 0;
    Version version = 0;
    bool is_written = false;

    void forget(RowHash row);
    void forget_all();
    void make_room(size_t bytes_max);
  };

  static constexpr size_t kShards = 16;
  static constexpr size_t kMapBytes = 64;  // about what a row takes in the list and the map

  Shard& shard_of(RowHash row) { return shards_[row % kShards]; }
  template <typename Change>
  void change(std::span<const RowHash> rows, bool is_everything, Change change);

  const size_t shard_bytes_max_;
  std::array<Shard, kShards> shards_;
};

}  // namespace partita
