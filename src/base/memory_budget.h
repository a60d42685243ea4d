#pragma once

#include <atomic>
#include <cstddef>

namespace partita {

// MemoryBudget: so many bytes that several share. Whoever needs more than is left gets nothing. Thread-safe.
class MemoryBudget {
 public:
  explicit MemoryBudget(size_t bytes) : left_(bytes) {}

  bool take(size_t bytes) {
    size_t left = left_.load(std::memory_order_relaxed);
    while (left >= bytes) {
      if (left_.compare_exchange_weak(left, left - bytes, std::memory_order_relaxed)) return true;
    }
    return false;
  }
  void give_back(size_t bytes) { left_.fetch_add(bytes, std::memory_order_relaxed); }
  size_t left() const { return left_.load(std::memory_order_relaxed); }

 private:
  std::atomic<size_t> left_;
};

}  // namespace partita
