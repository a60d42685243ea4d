#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace partita {

// HotKeys: which keys got the most of a stream of weights, in bounded memory (the space-saving sketch of Metwally, Agrawal and
// El Abbadi). Not thread-safe.
//
// Invariants: at most `capacity` keys are kept; a kept key's weight is at most `excess` above its true one and never below; every
// key with more than 1/capacity of the total is kept.
class HotKeys {
 public:
  struct Entry {
    std::string key;
    uint64_t weight = 0;
    uint64_t excess = 0;

    // The order of heaviest(): never doubtful.
    static bool is_heavier(const Entry& left, const Entry& right);
    bool operator==(const Entry&) const = default;
  };

  explicit HotKeys(size_t capacity) : capacity_(capacity) {}

  void add(std::string_view key, uint64_t weight);
  // Lets the past count less: everything halves.
  void fade();
  // The heaviest first.
  std::vector<Entry> heaviest() const;
  // From heaviest() and total() of another one; instead of what is here.
  void restore(std::vector<Entry> heaviest_first, uint64_t total);
  // Of all keys, kept or not.
  uint64_t total() const { return total_; }

 private:
  size_t capacity_;
  uint64_t total_ = 0;
  std::vector<Entry> entries_;
};

}  // namespace partita
