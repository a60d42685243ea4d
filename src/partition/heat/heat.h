#pragma once

#include "partition/heat/hot_keys.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <string_view>
#include <vector>

namespace partita {

// What happened in a partition in some stretch of time.
struct HeatTally {
  uint64_t requests = 0;   // answered
  uint64_t throttled = 0;  // refused, for lack of budget
  uint64_t milli_units = 0;
  uint64_t peak_milli_units = 0;  // in its busiest second
  // Of the requests answered, by powers of two, rounded up; of several stretches together, the largest.
  uint64_t latency_median_us = 0;
  uint64_t latency_99_us = 0;

  HeatTally& operator+=(const HeatTally& other);
  bool operator==(const HeatTally&) const = default;
};

struct HeatHistory;

// Heat: how much one physical partition is used: now, over the last minutes and hours, and by which key values.
//
// Thread-safe. Time comes in as a parameter, in microseconds since the Unix epoch that never go backwards. Recording costs a few
// atomic additions; a lock is taken once a second, and for the one request in kSampling that the sketch of hot key values looks
// at. A request that ends in the moment in which a second does may count in the next one.
class Heat {
 public:
  static constexpr size_t kSeconds = 60;
  static constexpr size_t kMinutes = 60;
  static constexpr size_t kHours = 48;
  // Latencies by powers of two: bucket b counts those below 2^b microseconds, the last one all others too.
  static constexpr size_t kLatencyBuckets = 24;
  using Latencies = std::array<uint64_t, kLatencyBuckets>;
  static constexpr uint64_t kSampling = 8;
  static constexpr size_t kHotKeys = 32;

  struct Report {
    HeatTally total;                 // since the partition was opened
    std::vector<HeatTally> seconds;  // finished ones, the latest first; likewise the others
    std::vector<HeatTally> minutes;
    std::vector<HeatTally> hours;
    Latencies latencies{};                 // fading, like the hot keys: each minute that is over counts half
    std::vector<HotKeys::Entry> hot_keys;  // keys are effective partition keys, weights thousandths of request units, fading
    uint64_t hot_keys_total = 0;
  };

  explicit Heat(int64_t now_us) : second_(now_us / kSecondUs) {}

  void record(int64_t now_us, std::string_view effective_key, double units, int64_t latency_us);
  void record_throttled(int64_t now_us);
  Report report(int64_t now_us) const;
  // Since the partition was opened, up to the last finished second.
  HeatTally total(int64_t now_us) const;
  // Of the last finished minute's seconds.
  HeatTally last_minute(int64_t now_us) const;
  // Request units in the busiest second of the last minute.
  double peak_units_per_second(int64_t now_us) const;

  // What outlives the partition's being open: minutes and hours, those that go on included, and hot keys.
  HeatHistory history(int64_t now_us) const;
  // Goes on from there. REQUIRES: nothing was recorded yet.
  void restore(const HeatHistory& history, int64_t now_us);

 private:
  static constexpr int64_t kSecondUs = 1'000'000;

  // The tallies of the last Size periods. A slot knows which period it is of, so that idle periods need no work.
  template <size_t Size>
  struct Ring {
    std::array<HeatTally, Size> tallies{};
    std::array<int64_t, Size> periods{};
    Latencies latencies{};  // of the newest period
    int64_t newest = 0;

    void add(int64_t period, const HeatTally& tally, const Latencies& more);
    void restore(int64_t period, const HeatTally& tally);
    // Those before `now`, the latest first.
    std::vector<HeatTally> before(int64_t now) const;
  };

  Latencies take_latencies() const;
  void roll(int64_t second) const;

  // The second that goes on; folded into the rings by whoever first comes after it.
  mutable std::atomic<int64_t> second_;
  mutable std::atomic<uint64_t> requests_ = 0;
  mutable std::atomic<uint64_t> throttled_ = 0;
  mutable std::atomic<uint64_t> milli_units_ = 0;
  std::atomic<uint64_t> ordinal_ = 0;
  std::array<std::atomic<uint64_t>, kLatencyBuckets> latencies_{};  // since the partition was opened

  mutable std::mutex mutex_;
  mutable HeatTally total_;
  mutable Ring<kSeconds> seconds_;
  mutable Ring<kMinutes> minutes_;
  mutable Ring<kHours> hours_;
  mutable Latencies folded_latencies_{};  // of latencies_, those of finished seconds
  mutable Latencies recent_latencies_{};
  mutable HotKeys hot_keys_{kHotKeys};
};

// The least latency that at least this share of all requests stayed below, in microseconds; 0 when there were none.
int64_t latency_quantile_us(const Heat::Latencies& latencies, double share);

}  // namespace partita
