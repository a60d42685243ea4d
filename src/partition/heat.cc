#include "partition/heat.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace partita {
namespace {

// Spreads ordinals, so that a pattern in the requests never meets a pattern in the sampling.
uint64_t scrambled(uint64_t value) {
  value += 0x9E3779B97F4A7C15;
  value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9;
  value = (value ^ (value >> 27)) * 0x94D049BB133111EB;
  return value ^ (value >> 31);
}

size_t bucket_of(int64_t latency_us) {
  const auto width = static_cast<size_t>(std::bit_width(static_cast<uint64_t>(std::max<int64_t>(latency_us, 0))));
  return std::min(width, Heat::kLatencyBuckets - 1);
}

}  // namespace

HeatTally& HeatTally::operator+=(const HeatTally& other) {
  requests += other.requests;
  throttled += other.throttled;
  milli_units += other.milli_units;
  peak_milli_units = std::max(peak_milli_units, other.peak_milli_units);
  return *this;
}

template <size_t Size>
void Heat::Ring<Size>::add(int64_t period, const HeatTally& tally) {
  const size_t slot = static_cast<size_t>(period) % Size;
  if (periods[slot] != period) tallies[slot] = {};
  periods[slot] = period;
  tallies[slot] += tally;
}

template <size_t Size>
std::vector<HeatTally> Heat::Ring<Size>::before(int64_t now) const {
  std::vector<HeatTally> latest_first;
  for (int64_t period = now - 1; period >= std::max<int64_t>(0, now - static_cast<int64_t>(Size)); --period) {
    const size_t slot = static_cast<size_t>(period) % Size;
    latest_first.push_back(periods[slot] == period ? tallies[slot] : HeatTally{});
  }
  return latest_first;
}

void Heat::record(int64_t now_us, std::string_view effective_key, double units, int64_t latency_us) {
  roll(now_us / kSecondUs);
  const auto milli_units = static_cast<uint64_t>(std::llround(units * 1000));
  requests_.fetch_add(1, std::memory_order_relaxed);
  milli_units_.fetch_add(milli_units, std::memory_order_relaxed);
  latencies_[bucket_of(latency_us)].fetch_add(1, std::memory_order_relaxed);
  if (effective_key.empty() || scrambled(ordinal_.fetch_add(1, std::memory_order_relaxed)) % kSampling != 0) return;
  std::lock_guard lock(mutex_);
  hot_keys_.add(effective_key, milli_units * kSampling);
}

void Heat::record_throttled(int64_t now_us) {
  roll(now_us / kSecondUs);
  throttled_.fetch_add(1, std::memory_order_relaxed);
}

// Folds the second that is over into the rings.
void Heat::roll(int64_t second) const {
  if (second_.load(std::memory_order_relaxed) >= second) return;
  std::lock_guard lock(mutex_);
  const int64_t finished = second_.load(std::memory_order_relaxed);
  if (finished >= second) return;
  HeatTally tally{.requests = requests_.exchange(0, std::memory_order_relaxed),
                  .throttled = throttled_.exchange(0, std::memory_order_relaxed),
                  .milli_units = milli_units_.exchange(0, std::memory_order_relaxed)};
  tally.peak_milli_units = tally.milli_units;
  total_ += tally;
  seconds_.add(finished, tally);
  minutes_.add(finished / 60, tally);
  hours_.add(finished / 3600, tally);
  // Each minute that is over counts half as much as the one after it.
  for (int64_t minutes = std::min<int64_t>(second / 60 - finished / 60, 64); minutes > 0; --minutes) hot_keys_.fade();
  second_.store(second, std::memory_order_relaxed);
}

Heat::Report Heat::report(int64_t now_us) const {
  const int64_t second = now_us / kSecondUs;
  roll(second);
  Report report;
  for (size_t i = 0; i < kLatencyBuckets; ++i) report.latencies[i] = latencies_[i].load(std::memory_order_relaxed);
  std::lock_guard lock(mutex_);
  report.total = total_;
  report.seconds = seconds_.before(second);
  report.minutes = minutes_.before(second / 60);
  report.hours = hours_.before(second / 3600);
  report.hot_keys = hot_keys_.heaviest();
  report.hot_keys_total = hot_keys_.total();
  return report;
}

HeatTally Heat::total(int64_t now_us) const {
  roll(now_us / kSecondUs);
  std::lock_guard lock(mutex_);
  return total_;
}

HeatTally Heat::last_minute(int64_t now_us) const {
  const int64_t second = now_us / kSecondUs;
  roll(second);
  std::lock_guard lock(mutex_);
  HeatTally sum;
  for (const HeatTally& tally : seconds_.before(second)) sum += tally;
  return sum;
}

double Heat::peak_units_per_second(int64_t now_us) const {
  return static_cast<double>(last_minute(now_us).peak_milli_units) / 1000;
}

int64_t latency_quantile_us(const std::array<uint64_t, Heat::kLatencyBuckets>& latencies, double share) {
  uint64_t all = 0;
  for (const uint64_t count : latencies) all += count;
  if (all == 0) return 0;
  uint64_t below = 0;
  for (size_t bucket = 0; bucket < latencies.size(); ++bucket) {
    below += latencies[bucket];
    if (static_cast<double>(below) >= share * static_cast<double>(all)) return int64_t{1} << bucket;
  }
  return int64_t{1} << latencies.size();
}

}  // namespace partita
