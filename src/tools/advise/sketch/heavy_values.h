#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace partita::tools::advise {

// HeavyValues: which values got the most of a stream of weights, in bounded memory (the batched form of the sketch of Misra and
// Gries: when there are too many values, all give up what the middle one has). Not thread-safe.
//
// Invariants: a kept value's weight is at most error() below its true one and never above; every value with more than error() is
// kept. A value that came more than once has its text, and so has one that is as heavy as any that came once.
class HeavyValues {
 public:
  struct Entry {
    std::string text;
    double weight = 0;  // a lower bound
    double items = 0;   // likewise: how often it came
  };

  // REQUIRES: capacity > 0.
  explicit HeavyValues(size_t capacity);

  // `text` is asked for when the value's is needed for the first time. REQUIRES: all bits of the hash are mixed.
  template <typename Text>
  void add(uint64_t hash, double weight, const Text& text) {
    total_ += weight;
    const size_t at = find(hash);
    const bool is_new = slots_[at] == 0;
    if (is_new) {
      slots_[at] = static_cast<uint32_t>(counts_.size() + 1);
      counts_.push_back({.hash = hash});
    }
    Count& count = counts_[slots_[at] - 1];
    count.weight += weight;
    count.items += 1;
    if (!count.has_text && (!is_new || weight > heaviest_single_)) {
      if (is_new) heaviest_single_ = weight;
      count.has_text = true;
      texts_.resize(counts_.size());
      texts_[slots_[at] - 1] = text();
    }
    if (counts_.size() > 2 * capacity_) prune();
  }
  // The heaviest first; of values that came once only the first one is sure to have a text.
  std::vector<Entry> heaviest(size_t count) const;
  double error() const { return error_; }
  double total() const { return total_; }

 private:
  struct Count {
    uint64_t hash = 0;
    double weight = 0;
    double items = 0;
    bool has_text = false;
  };

  // Where the value's number is, or is to be.
  size_t find(uint64_t hash) const {
    size_t at = hash & (slots_.size() - 1);
    while (slots_[at] != 0 && counts_[slots_[at] - 1].hash != hash) at = (at + 1) & (slots_.size() - 1);
    return at;
  }
  void prune();

  size_t capacity_;
  double total_ = 0;
  double error_ = 0;
  double heaviest_single_ = 0;      // weight of the heaviest value that has a text since it came first
  std::vector<Count> counts_;       // in the order of their coming
  std::vector<std::string> texts_;  // of counts_, as far as they have one
  std::vector<uint32_t> slots_;     // a hash table of a size that is a power of two: 1 + place in counts_, or 0
};

}  // namespace partita::tools::advise
