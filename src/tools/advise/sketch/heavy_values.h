#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

namespace partita::tools::advise {

// HeavyValues: which values got the most of a stream of weights, in bounded memory (the batched form of the sketch of Misra and
// Gries: when there are too many values, all give up what the middle one has). Not thread-safe.
//
// Invariants: a kept value's weight is at most error() below its true one and never above; every value with more than error() is
// kept.
class HeavyValues {
 public:
  struct Entry {
    std::string text;
    double weight = 0;  // a lower bound
    double items = 0;   // likewise: how often it came
  };

  explicit HeavyValues(size_t capacity) : capacity_(capacity) {}

  // `text` is asked for when the value is not known yet.
  template <typename Text>
  void add(uint64_t hash, double weight, const Text& text) {
    total_ += weight;
    auto [entry, is_new] = entries_.try_emplace(hash);
    if (is_new) entry->second.text = text();
    entry->second.weight += weight;
    entry->second.items += 1;
    if (entries_.size() > 2 * capacity_) prune();
  }
  // The heaviest first.
  std::vector<Entry> heaviest(size_t count) const;
  double error() const { return error_; }
  double total() const { return total_; }

 private:
  void prune();

  size_t capacity_;
  double total_ = 0;
  double error_ = 0;
  std::unordered_map<uint64_t, Entry> entries_;
};

}  // namespace partita::tools::advise
