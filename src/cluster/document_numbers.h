#pragma once

#include "base/result.h"
#include "engine/item/identity.h"

#include <atomic>
#include <cstdint>

namespace partita {

// DocumentNumbers: hands out a container's document numbers, each once for ever. Thread-safe.
//
// They come from a lease of the catalog (cluster/catalog/number_leases.h), which is durable before its first number is used:
// whoever leases after it, for this container and wherever that runs, gets others. A lease is extended long before it is used up,
// so that nobody who writes a document waits for the catalog.
class DocumentNumbers {
 public:
  static constexpr uint64_t kLeased = 1 << 24;  // numbers at a time

  // No number above `newest` was used, and all up to `leased` may be.
  DocumentNumbers(DocumentNumber newest, DocumentNumber leased) : newest_(newest.value), leased_(leased.value) {}

  // kUnavailable when the lease is used up, which is over in a moment.
  Result<DocumentNumber> next() {
    const uint64_t number = newest_.fetch_add(1, std::memory_order_relaxed) + 1;
    if (number > leased_.load(std::memory_order_acquire)) [[unlikely]]
      return fail(ErrorCode::kUnavailable, "The container has no document numbers at the moment; please retry later.");
    return DocumentNumber{number};
  }

  bool is_running_out() const { return newest_.load(std::memory_order_relaxed) + kLeased / 2 > leased_; }
  DocumentNumber leased() const { return {leased_.load(std::memory_order_acquire)}; }
  // The lease reaches to there now, which is durable.
  void extend(DocumentNumber leased) { leased_.store(leased.value, std::memory_order_release); }

 private:
  std::atomic<uint64_t> newest_;
  std::atomic<uint64_t> leased_;
};

}  // namespace partita
