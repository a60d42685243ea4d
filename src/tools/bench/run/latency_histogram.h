#pragma once

#include <cstdint>
#include <vector>

namespace partita::tools::bench {

// LatencyHistogram: durations with three significant digits, from 100 ns to an hour, in a fixed amount of memory. Not
// thread-safe.
//
// The layout is HdrHistogram's: 2048 counters of 100 ns each, then for every power of two 1024 counters of twice the width of
// those before, so that a counter is never wider than a thousandth of its durations. Longer durations count as an hour.
class LatencyHistogram {
 public:
  LatencyHistogram();

  void record(int64_t nanoseconds);
  void add(const LatencyHistogram& other);
  void clear();

  uint64_t count() const { return count_; }
  double mean_us() const;
  double min_us() const;
  double max_us() const;
  // The smallest duration that so many percent of all do not exceed. 0 when there are none.
  double percentile_us(double percent) const;

 private:
  static constexpr int kUnitNs = 100;
  static constexpr uint64_t kUnitsMax = 36'000'000'000;  // an hour

  static size_t index_of(uint64_t units);
  static uint64_t last_of(size_t index);

  std::vector<uint64_t> counts_;
  uint64_t count_ = 0;
  uint64_t sum_ = 0;
  uint64_t least_ = UINT64_MAX;
  uint64_t most_ = 0;
};

}  // namespace partita::tools::bench
