#include "partition/heat/heat.h"

#include "partition/heat/heat_history.h"

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

// After so many halvings nothing is left.
constexpr int64_t kFadesMax = 64;

}  // namespace

HeatTally& HeatTally::operator+=(const HeatTally& other) {
  requests += other.requests;
  throttled += other.throttled;
  milli_units += other.milli_units;
  peak_milli_units = std::max(peak_milli_units, other.peak_milli_units);
  latency_median_us = std::max(latency_median_us, other.latency_median_us);
  latency_99_us = std::max(latency_99_us, other.latency_99_us);
  return *this;
}

template <size_t Size>
void Heat::Ring<Size>::add(int64_t period, const HeatTally& tally, const Latencies& more) {
  const size_t slot = static_cast<size_t>(period) % Size;
  if (periods[slot] != period) tallies[slot] = {};
  periods[slot] = period;
  tallies[slot] += tally;
  if (newest != period) latencies = {};
  newest = period;
  for (size_t i = 0; i < kLatencyBuckets; ++i) latencies[i] += more[i];
  tallies[slot].latency_median_us = static_cast<uint64_t>(latency_quantile_us(latencies, 0.5));
  tallies[slot].latency_99_us = static_cast<uint64_t>(latency_quantile_us(latencies, 0.99));
}

template <size_t Size>
void Heat::Ring<Size>::restore(int64_t period, const HeatTally& tally) {
  const size_t slot = static_cast<size_t>(period) % Size;
  if (period < periods[slot]) return;
  periods[slot] = period;
  tallies[slot] = tally;
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
  const Latencies latencies = take_latencies();
  total_ += tally;
  seconds_.add(finished, tally, latencies);
  minutes_.add(finished / 60, tally, latencies);
  hours_.add(finished / 3600, tally, latencies);
  // Each minute that is over counts half as much as the one after it.
  for (int64_t minutes = std::min<int64_t>(second / 60 - finished / 60, kFadesMax); minutes > 0; --minutes) {
    hot_keys_.fade();
    for (uint64_t& count : recent_latencies_) count /= 2;
  }
  second_.store(second, std::memory_order_relaxed);
}

// Those that came since the last time.
Heat::Latencies Heat::take_latencies() const {
  Latencies taken{};
  for (size_t i = 0; i < kLatencyBuckets; ++i) {
    taken[i] = latencies_[i].load(std::memory_order_relaxed) - folded_latencies_[i];
    folded_latencies_[i] += taken[i];
    recent_latencies_[i] += taken[i];
  }
  return taken;
}

Heat::Report Heat::report(int64_t now_us) const {
  const int64_t second = now_us / kSecondUs;
  roll(second);
  Report report;
  std::lock_guard lock(mutex_);
  report.latencies = recent_latencies_;
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

HeatHistory Heat::history(int64_t now_us) const {
  const int64_t second = now_us / kSecondUs;
  roll(second);
  std::lock_guard lock(mutex_);
  HeatHistory history;
  const auto collect = [](const auto& ring, int64_t now, std::vector<HeatHistory::Period>& periods) {
    const std::vector<HeatTally> latest_first = ring.before(now + 1);
    for (size_t i = latest_first.size(); i-- > 0;) {
      if (latest_first[i] != HeatTally{}) periods.push_back({now - static_cast<int64_t>(i), latest_first[i]});
    }
  };
  collect(minutes_, second / 60, history.minutes);
  collect(hours_, second / 3600, history.hours);
  history.minute = second / 60;
  history.hot_keys = hot_keys_.heaviest();
  history.hot_keys_total = hot_keys_.total();
  return history;
}

void Heat::restore(const HeatHistory& history, int64_t now_us) {
  std::lock_guard lock(mutex_);
  for (const HeatHistory::Period& minute : history.minutes) minutes_.restore(minute.number, minute.tally);
  for (const HeatHistory::Period& hour : history.hours) hours_.restore(hour.number, hour.tally);
  hot_keys_.restore(history.hot_keys, history.hot_keys_total);
  for (int64_t i = std::min(now_us / kSecondUs / 60 - history.minute, kFadesMax); i > 0; --i) hot_keys_.fade();
}

int64_t latency_quantile_us(const Heat::Latencies& latencies, double share) {
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
