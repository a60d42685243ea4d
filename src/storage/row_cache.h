#pragma once

#include "storage/keyspace.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace partita {

// RowCache: rows that were read lately, for the families of which single rows are read: reading them again costs no search in
// memtables and tables.
//
// Thread-safe. Bounded in bytes; what was not read since its last turn goes first. Invariants:
// 1. A row that is found is as new as a reader of the store would find it: from before a write becomes visible until after it,
//    what it touches is neither found nor inserted.
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
  // A row's key and value, one after the other in one piece of memory: a row is found by two looks into memory, at its place and
  // at its bytes. Reads of many rows spend most of their time waiting for memory.
  struct Row {
    RowHash hash = 0;
    std::unique_ptr<char[]> bytes;  // nullptr: a free place
    uint32_t key_size = 0;
    uint32_t value_size = 0;
    bool was_read = false;  // since the hand last passed

    std::string_view key() const { return {bytes.get(), key_size}; }
    std::string_view value() const { return {bytes.get() + key_size, value_size}; }
    size_t size() const { return kPlaceBytes + key_size + value_size; }
  };
  // A hash table with open addressing: a row is at the place its hash wishes, or after it with no free place between.
  struct alignas(64) Shard {
    std::mutex mutex;
    std::vector<Row> places = std::vector<Row>(kPlacesMin);  // a power of two, never full
    size_t count = 0;
    size_t bytes = 0;
    size_t hand = 0;  // the place that is asked next whether its row was read
    Version version = 0;
    bool is_written = false;

    size_t wished_place(RowHash row) const { return (row / kShards) & (places.size() - 1); }
    size_t next(size_t place) const { return (place + 1) & (places.size() - 1); }
    // Where the row is, or the free place at which it would be.
    size_t find(RowHash row) const;
    void insert(Row row);
    void grow();
    void erase(size_t place);
    void forget(RowHash row);
    void forget_all();
    void make_room(size_t bytes_max);
  };

  static constexpr size_t kShards = 16;
  static constexpr size_t kPlacesMin = 16;
  static constexpr size_t kPlaceBytes = 2 * sizeof(Row);  // places are half to three quarters full

  Shard& shard_of(RowHash row) { return shards_[row % kShards]; }
  template <typename Change>
  void change(std::span<const RowHash> rows, bool is_everything, Change change);

  const size_t shard_bytes_max_;
  std::array<Shard, kShards> shards_;
};

}  // namespace partita
