#pragma once

#include "base/fair_memory.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>

namespace partita::net {

// MemoryQueue: those who wait for memory that others have, and who of them gets it next. Thread-safe.
//
// 1. Whoever gives memory back calls serve() afterwards; so nobody waits for what is free.
// 2. The tenant that holds least comes first; those of one tenant get theirs in the order in which they came.
class MemoryQueue {
 public:
  // Lives where somebody waits, and is not touched there until it was granted or given up.
  struct Waiter {
    MemoryLoan& loan;
    size_t bytes;
    std::function<void()> on_granted;  // on any thread, with the queue locked
  };
  struct Limits {
    size_t waiters_max = 1000;
    size_t waiters_per_tenant_max = 100;
  };
  enum class Outcome { kGranted, kWaiting, kRefused };

  explicit MemoryQueue(const FairMemory* memory) : MemoryQueue(memory, Limits()) {}
  MemoryQueue(const FairMemory* memory, const Limits& limits) : memory_(memory), limits_(limits) {}

  // Grows the loan now, when others give back, or not at all: when too many wait, or there is never so much.
  Outcome take(Waiter& waiter);
  // False when it was granted meanwhile.
  bool give_up(const Waiter& waiter);
  void serve();

 private:
  using Line = std::deque<Waiter*>;  // never empty

  const FairMemory* const memory_;  // null: without a limit
  const Limits limits_;
  std::mutex mutex_;
  std::map<uint64_t, Line> lines_;  // by tenant
  size_t waiters_ = 0;
};

}  // namespace partita::net
