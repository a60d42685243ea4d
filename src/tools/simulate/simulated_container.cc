#include "tools/simulate/simulated_container.h"

#include "base/random.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace partita::tools {
namespace {

constexpr int64_t kTickSeconds = 600;
constexpr int kStepsPerTickMax = 8;
constexpr double kLogicalPartitionBytesMax = 20.0 * (1ULL << 30);
// Half of the units write, a kilobyte for 4.95 of them.
constexpr double kBytesPerUnit = 0.5 * 1024 / 4.95;
// A budget is watched for this long in every tick, with this many requests at a time.
constexpr int64_t kWatchedUs = 2'000'000;
constexpr int64_t kStepUs = 100'000;

}  // namespace

SimulationTotals& SimulationTotals::operator+=(const SimulationTotals& other) {
  containers += other.containers;
  partitions_before += other.partitions_before;
  partitions_after += other.partitions_after;
  splits_by_bytes += other.splits_by_bytes;
  splits_by_throughput += other.splits_by_throughput;
  splits_by_load += other.splits_by_load;
  merges += other.merges;
  refused_splits += other.refused_splits;
  moved_bytes += other.moved_bytes;
  stored_bytes += other.stored_bytes;
  demanded_units += other.demanded_units;
  served_units += other.served_units;
  oversized_key_values += other.oversized_key_values;
  load_ratios.insert(load_ratios.end(), other.load_ratios.begin(), other.load_ratios.end());
  bytes_ratios.insert(bytes_ratios.end(), other.bytes_ratios.begin(), other.bytes_ratios.end());
  return *this;
}

SimulatedContainer::SimulatedContainer(const SimulationOptions& options, size_t partitions, uint64_t number)
    : options_(options), throughput_(static_cast<int64_t>(partitions) * options.limits.partition_throughput_max) {
  definition_.paths.push_back(*DocumentPath::parse("/pk"));
  definition_.version = 2;
  Random random(options.seed * 1'000'003 + number);
  // Containers are used differently: between half and one and a half of the mean.
  const double relative_use = 0.5 + static_cast<double>(random.below(1001)) / 1000;
  demand_ = options.use * relative_use * static_cast<double>(throughput_);
  const size_t count = partitions * options.key_values_per_partition;
  for (size_t rank = 0; rank < count; ++rank) {
    const PartitionKey key{{fmt::format("{}-{}", random.next(), rank)}};
    key_values_.push_back({effective_partition_key(key, definition_), rank});
  }
  std::ranges::sort(key_values_, {}, &KeyValue::hash);
  for (EffectiveKeyRange& range : even_ranges(partitions, definition_)) {
    const auto behind = std::ranges::lower_bound(key_values_, range.max, {}, &KeyValue::hash);
    const size_t first = partitions_.empty() ? 0 : partitions_.back().last;
    partitions_.push_back({.range = std::move(range),
                           .first = first,
                           .last = static_cast<size_t>(behind - key_values_.begin()),
                           .budget = std::make_unique<RequestBudget>(0),
                           .load = {}});
  }
  share_throughput();
  totals_.containers = 1;
  totals_.partitions_before = partitions;
}

SimulationTotals SimulatedContainer::run() {
  const int ticks = static_cast<int>(options_.hours * 3600 / kTickSeconds);
  for (int tick = 0; tick < ticks; ++tick) {
    serve_tick(static_cast<double>(tick) / ticks);
    reshape();
    now_us_ += kTickSeconds * RequestBudget::kSecondUs;
  }
  finish();
  return std::move(totals_);
}

void SimulatedContainer::serve_tick(double time) {
  const std::vector<double> shares = options_.shares.empty() ? load_shares(options_.load, key_values_.size(), time)
                                                             : load_shares(options_.shares, key_values_.size());
  for (KeyValue& key : key_values_) key.demand = demand_ * shares[key.rank];
  for (SimulatedPartition& partition : partitions_) {
    const auto first = key_values_.begin() + static_cast<ptrdiff_t>(partition.first);
    const auto last = key_values_.begin() + static_cast<ptrdiff_t>(partition.last);
    partition.demand = std::accumulate(first, last, 0.0, [](double sum, const KeyValue& key) { return sum + key.demand; });
    const double share = served_share(partition);
    partition.load.units_per_second = share * partition.demand;
    partition.load.throttled_share = 1 - share;
    double bytes = 0;
    for (auto key = first; key != last; ++key) {
      key->bytes += share * key->demand * static_cast<double>(kTickSeconds) * kBytesPerUnit;
      bytes += key->bytes;
    }
    if (static_cast<uint64_t>(bytes) > partition.load.bytes + partition.load.bytes / 10) partition.load.can_split = true;
    partition.load.bytes = static_cast<uint64_t>(bytes);
    totals_.demanded_units += partition.demand * static_cast<double>(kTickSeconds);
    totals_.served_units += share * partition.demand * static_cast<double>(kTickSeconds);
  }
}

// How much of the demand the production budget lets through.
double SimulatedContainer::served_share(SimulatedPartition& partition) {
  if (partition.demand <= partition.budget->rate()) return 1;
  partition.budget->reset(now_us_);
  partition.budget->charge(now_us_, partition.budget->rate());  // in the middle of a busy time nothing is saved
  const double units = partition.demand * static_cast<double>(kStepUs) / RequestBudget::kSecondUs;
  constexpr int kSteps = static_cast<int>(kWatchedUs / kStepUs);
  constexpr int kRequestsPerStep = 16;
  int served = 0;
  for (int step = 0; step < kSteps * kRequestsPerStep; ++step) {
    const int64_t at_us = now_us_ + step * kStepUs / kRequestsPerStep;
    if (partition.budget->wait_us(at_us, Priority::kHigh) > 0) continue;
    partition.budget->charge(at_us, units / kRequestsPerStep);
    ++served;
  }
  return static_cast<double>(served) / (kSteps * kRequestsPerStep);
}

void SimulatedContainer::reshape() {
  for (int step = 0; step < kStepsPerTickMax; ++step) {
    std::vector<PartitionLoad> loads;
    loads.reserve(partitions_.size());
    for (const SimulatedPartition& partition : partitions_) loads.push_back(partition.load);
    const std::optional<ReshapeStep> next = next_step(loads, throughput_, options_.limits);
    if (!next) return;
    if (next->kind == ReshapeStep::Kind::kSplit) {
      split(next->first, next->reason);
    } else {
      merge(next->first);
    }
    share_throughput();
  }
}

void SimulatedContainer::split(size_t at, ReshapeReason reason) {
  SimulatedPartition& left = partitions_[at];
  std::vector<HashWeight> weights;
  for (size_t i = left.first; i < left.last; ++i) {
    const KeyValue& key = key_values_[i];
    weights.push_back({key.hash, 1, static_cast<uint64_t>(key.bytes), key.demand});
  }
  const Result<SplitPoint> point = find_split(left.range, definition_, weights, aim_of(reason));
  if (!point) {
    left.load.can_split = false;
    ++totals_.refused_splits;
    return;
  }
  totals_.moved_bytes += static_cast<double>(left.load.bytes);
  ++(reason == ReshapeReason::kBytes        ? totals_.splits_by_bytes
     : reason == ReshapeReason::kThroughput ? totals_.splits_by_throughput
                                            : totals_.splits_by_load);
  SimulatedPartition right{.range = {point->hash, left.range.max},
                           .first = left.first,
                           .last = left.last,
                           .budget = std::make_unique<RequestBudget>(now_us_),
                           .load = {}};
  left.range.max = point->hash;
  while (right.first < right.last && key_values_[right.first].hash < point->hash) ++right.first;
  left.last = right.first;
  left.load = {};
  for (SimulatedPartition* half : {&left, &right}) {
    for (size_t i = half->first; i < half->last; ++i) {
      half->load.bytes += static_cast<uint64_t>(key_values_[i].bytes);
      half->load.units_per_second += key_values_[i].demand;
    }
    half->load.can_split = half->load.bytes == 0 || point->helps;
  }
  partitions_.insert(partitions_.begin() + static_cast<ptrdiff_t>(at) + 1, std::move(right));
}

void SimulatedContainer::merge(size_t at) {
  SimulatedPartition& left = partitions_[at];
  const SimulatedPartition& right = partitions_[at + 1];
  left.range.max = right.range.max;
  left.last = right.last;
  left.load = {.bytes = left.load.bytes + right.load.bytes,
               .units_per_second = left.load.units_per_second + right.load.units_per_second};
  totals_.moved_bytes += static_cast<double>(left.load.bytes);
  ++totals_.merges;
  partitions_.erase(partitions_.begin() + static_cast<ptrdiff_t>(at) + 1);
}

void SimulatedContainer::share_throughput() {
  const double share = static_cast<double>(throughput_) / static_cast<double>(partitions_.size());
  for (SimulatedPartition& partition : partitions_) partition.budget->set_rate(share);
}

void SimulatedContainer::finish() {
  totals_.partitions_after = partitions_.size();
  for (const KeyValue& key : key_values_) {
    totals_.stored_bytes += key.bytes;
    if (key.bytes > kLogicalPartitionBytesMax) ++totals_.oversized_key_values;
  }
  const double count = static_cast<double>(partitions_.size());
  const double mean_bytes = totals_.stored_bytes / count;
  for (const SimulatedPartition& partition : partitions_) {
    totals_.load_ratios.push_back(static_cast<float>(partition.demand / (demand_ / count)));
    totals_.bytes_ratios.push_back(mean_bytes == 0 ? 1
                                                   : static_cast<float>(static_cast<double>(partition.load.bytes) / mean_bytes));
  }
}

}  // namespace partita::tools
