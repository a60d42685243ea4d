#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <set>
#include <vector>

namespace partita::tools::bench {

// DocumentNumbers: which documents exist, and which number the next one has. Thread-safe.
//
// Invariant: all documents below readable() were acknowledged, so whoever picks one of them finds it.
class DocumentNumbers {
 public:
  explicit DocumentNumbers(uint64_t existing) : next_(existing), readable_(existing) {}

  uint64_t readable() const { return readable_.load(std::memory_order_acquire); }
  // A number for a document that is going to be inserted.
  uint64_t take();
  void acknowledge(uint64_t number);
  // It was not inserted: somebody else shall.
  void give_back(uint64_t number);

 private:
  std::mutex mutex_;
  uint64_t next_;
  std::set<uint64_t> acknowledged_;  // above readable_
  std::vector<uint64_t> returned_;
  std::atomic<uint64_t> readable_;
};

}  // namespace partita::tools::bench
