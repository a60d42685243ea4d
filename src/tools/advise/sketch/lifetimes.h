#pragma once

#include <algorithm>
#include <cstdint>
#include <unordered_map>

namespace partita::tools::advise {

// Lifetimes: from when to when values come, for a sample of all values in bounded memory: those whose hash ends with enough
// zeros. Not thread-safe.
class Lifetimes {
 public:
  void add(uint64_t hash, int64_t seconds) {
    if ((hash & mask_) != 0) return;
    auto [life, is_new] = lives_.try_emplace(hash, Life{seconds, seconds, 0});
    life->second.first = std::min(life->second.first, seconds);
    life->second.last = std::max(life->second.last, seconds);
    ++life->second.count;
    first_ = std::min(first_, seconds);
    last_ = std::max(last_, seconds);
    while (lives_.size() > kValuesMax) {
      mask_ = mask_ << 1 | 1;
      std::erase_if(lives_, [this](const auto& entry) { return (entry.first & mask_) != 0; });
    }
  }

  // The share of all time between a value's first and last coming that is to be expected of values that live for ever, taken over
  // those that came more than once; 1 when there are none.
  double mean_share() const {
    double shares = 0;
    double count = 0;
    for (const auto& [hash, life] : lives_) {
      if (life.count < 2 || last_ == first_) continue;
      const auto comings = static_cast<double>(life.count);
      // n points at random on a line are (n - 1) / (n + 1) of it apart.
      const double expected = (comings - 1) / (comings + 1);
      shares += std::min(1.0, static_cast<double>(life.last - life.first) / static_cast<double>(last_ - first_) / expected);
      count += 1;
    }
    return count == 0 ? 1 : shares / count;
  }

 private:
  static constexpr size_t kValuesMax = 1024;
  struct Life {
    int64_t first;
    int64_t last;
    uint64_t count;
  };

  uint64_t mask_ = 0;
  int64_t first_ = INT64_MAX;
  int64_t last_ = INT64_MIN;
  std::unordered_map<uint64_t, Life> lives_;
};

}  // namespace partita::tools::advise
