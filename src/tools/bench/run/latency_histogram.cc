#include "tools/bench/run/latency_histogram.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace partita::tools::bench {
namespace {

constexpr uint64_t kHalf = 1024;
constexpr int kHalfBits = 10;

double microseconds(uint64_t units) { return static_cast<double>(units) / 10; }

}  // namespace

size_t LatencyHistogram::index_of(uint64_t units) {
  const int shift = std::max(0, static_cast<int>(std::bit_width(units)) - kHalfBits - 1);
  return static_cast<size_t>(shift) * kHalf + (units >> shift);
}

uint64_t LatencyHistogram::last_of(size_t index) {
  const size_t shift = index < 2 * kHalf ? 0 : index / kHalf - 1;
  return ((index - shift * kHalf + 1) << shift) - 1;
}

LatencyHistogram::LatencyHistogram() : counts_(index_of(kUnitsMax) + 1) {}

void LatencyHistogram::record(int64_t nanoseconds) {
  const uint64_t units = std::min(static_cast<uint64_t>(std::max<int64_t>(nanoseconds, 0)) / kUnitNs, kUnitsMax);
  ++counts_[index_of(units)];
  ++count_;
  sum_ += units;
  least_ = std::min(least_, units);
  most_ = std::max(most_, units);
}

void LatencyHistogram::add(const LatencyHistogram& other) {
  for (size_t i = 0; i < counts_.size(); ++i) counts_[i] += other.counts_[i];
  count_ += other.count_;
  sum_ += other.sum_;
  least_ = std::min(least_, other.least_);
  most_ = std::max(most_, other.most_);
}

void LatencyHistogram::clear() {
  if (count_ == 0) return;
  std::ranges::fill(counts_, 0);
  count_ = sum_ = most_ = 0;
  least_ = UINT64_MAX;
}

double LatencyHistogram::mean_us() const { return count_ == 0 ? 0 : microseconds(sum_) / static_cast<double>(count_); }
double LatencyHistogram::min_us() const { return count_ == 0 ? 0 : microseconds(least_); }
double LatencyHistogram::max_us() const { return microseconds(most_); }

double LatencyHistogram::percentile_us(double percent) const {
  if (count_ == 0) return 0;
  const double share = std::clamp(percent, 0.0, 100.0) / 100;
  const auto wanted = std::max<uint64_t>(1, static_cast<uint64_t>(std::ceil(share * static_cast<double>(count_) - 1e-9)));
  uint64_t seen = 0;
  for (size_t i = 0; i < counts_.size(); ++i) {
    seen += counts_[i];
    if (seen >= wanted) return microseconds(std::min(last_of(i), most_));
  }
  return max_us();
}

}  // namespace partita::tools::bench
