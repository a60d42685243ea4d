#pragma once

#include "base/result.h"
#include "script/script_engine.h"

#include <cstddef>
#include <cstdint>
#include <string>

namespace partita::server {

// What the memory is divided for.
struct MemoryWish {
  uint64_t memory_bytes = 0;  // 0: half of what the process may use
  uint64_t cache_bytes = 0;   // 0: a share of the above
  size_t script_hosts = 0;    // as many as there is work for at once
};

// MemoryPlan: how the memory that the server and its script hosts may use is divided. Immutable.
//
// Each part is held to by whoever uses it: by a cache that drops, by a FairMemory that refuses, by a count. What no part counts
// (the program, stacks, what a request needs while it runs, what the allocator holds back) has a share of its own.
struct MemoryPlan {
  uint64_t memory_bytes = 0;     // all of it
  size_t base_bytes = 0;         // the program, its threads, connections that are idle
  size_t catalog_bytes = 0;      // definitions, scripts, permissions, and what partitions always need
  size_t work_bytes = 0;         // what running requests, compactions and the allocator take for a moment
  size_t cache_bytes = 0;        // blocks of tables, single rows, sets of documents
  size_t memtable_bytes = 0;     // all memtables together
  size_t network_bytes = 0;      // bodies that arrive and answers that wait for their readers
  size_t query_bytes = 0;        // rows that queries keep
  size_t query_bytes_each = 0;   // at most, by one query
  size_t ahead_bytes = 0;        // rows that were computed before their query got to them
  size_t staged_bytes = 0;       // changes of scripts and batches that are not written yet
  size_t staged_bytes_each = 0;  // at most, of one transaction
  size_t script_hosts = 0;       // processes for scripts, of kScriptHostBytes each
  size_t connections_max = 0;

  // kInvalidInput with what is needed when the memory is too small.
  static Result<MemoryPlan> divide(const MemoryWish& wish);
  // One line for people.
  std::string describe() const;
};

inline constexpr size_t kScriptHostBytes = script::kHostMemoryBytesMax;
// Less than that is refused.
inline constexpr uint64_t kMemoryBytesMin = 1024ULL << 20;

}  // namespace partita::server
