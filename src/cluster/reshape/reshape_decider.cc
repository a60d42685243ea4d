#include "cluster/reshape/reshape_decider.h"

#include <algorithm>

namespace partita {
namespace {

// A partition is hot when it is throttled this often and does this much more than its share of the work.
constexpr double kHotThrottledShare = 0.05;
constexpr double kHotTimesMean = 1.5;
// A merged partition has at most this share of what would split it again.
constexpr double kMergedShareMax = 0.4;

size_t partitions_needed(int64_t throughput, const ReshapeLimits& limits) {
  const int64_t most = std::max<int64_t>(limits.partition_throughput_max, 1);
  return static_cast<size_t>((std::max<int64_t>(throughput, 1) + most - 1) / most);
}

std::optional<ReshapeStep> split_of(size_t partition, ReshapeReason reason) {
  return ReshapeStep{ReshapeStep::Kind::kSplit, partition, reason};
}

// The partition that can be split and has the most of something; nothing when there is none.
template <typename Measure>
std::optional<size_t> most_of(const std::vector<PartitionLoad>& partitions, Measure measure) {
  std::optional<size_t> most;
  for (size_t i = 0; i < partitions.size(); ++i) {
    if (partitions[i].can_split && (!most || measure(partitions[i]) > measure(partitions[*most]))) most = i;
  }
  return most;
}

std::optional<ReshapeStep> hot_split(const std::vector<PartitionLoad>& partitions) {
  double total = 0;
  for (const PartitionLoad& partition : partitions) total += partition.units_per_second;
  const double mean = total / static_cast<double>(partitions.size());
  const auto hottest = most_of(partitions, [](const PartitionLoad& partition) {
    return partition.throttled_share >= kHotThrottledShare ? partition.units_per_second : 0;
  });
  if (!hottest || partitions[*hottest].throttled_share < kHotThrottledShare) return std::nullopt;
  const bool is_only_one = partitions.size() == 1;
  if (!is_only_one && partitions[*hottest].units_per_second < kHotTimesMean * mean) return std::nullopt;
  return split_of(*hottest, ReshapeReason::kLoad);
}

std::optional<ReshapeStep> small_merge(const std::vector<PartitionLoad>& partitions, int64_t throughput,
                                       const ReshapeLimits& limits) {
  if (partitions.size() <= partitions_needed(throughput, limits)) return std::nullopt;
  const double units_max = kMergedShareMax * static_cast<double>(throughput) / static_cast<double>(partitions.size() - 1);
  const auto bytes_max = static_cast<uint64_t>(kMergedShareMax * static_cast<double>(limits.partition_bytes_max));
  std::optional<ReshapeStep> best;
  uint64_t best_bytes = bytes_max;
  for (size_t i = 0; i + 1 < partitions.size(); ++i) {
    const uint64_t bytes = partitions[i].bytes + partitions[i + 1].bytes;
    const double units = partitions[i].units_per_second + partitions[i + 1].units_per_second;
    if (bytes > best_bytes || (best && bytes == best_bytes) || units > units_max) continue;
    best = ReshapeStep{ReshapeStep::Kind::kMerge, i, ReshapeReason::kSmall};
    best_bytes = bytes;
  }
  return best;
}

}  // namespace

std::string_view name_of(ReshapeReason reason) {
  switch (reason) {
    case ReshapeReason::kBytes: return "bytes";
    case ReshapeReason::kThroughput: return "throughput";
    case ReshapeReason::kLoad: return "load";
    case ReshapeReason::kSmall: return "small";
  }
  return "";
}

SplitAim aim_of(ReshapeReason reason) {
  if (reason == ReshapeReason::kLoad) return SplitAim::kHalveLoad;
  return reason == ReshapeReason::kThroughput ? SplitAim::kAddPartition : SplitAim::kHalveBytes;
}

std::optional<ReshapeStep> next_step(const std::vector<PartitionLoad>& partitions, int64_t throughput,
                                     const ReshapeLimits& limits) {
  const auto fullest = most_of(partitions, [](const PartitionLoad& partition) { return partition.bytes; });
  if (fullest && partitions[*fullest].bytes > limits.partition_bytes_max) return split_of(*fullest, ReshapeReason::kBytes);
  if (fullest && partitions.size() < partitions_needed(throughput, limits)) {
    return split_of(*fullest, ReshapeReason::kThroughput);
  }
  if (limits.splits_by_load && !partitions.empty()) {
    if (const auto step = hot_split(partitions)) return step;
  }
  return limits.merges ? small_merge(partitions, throughput, limits) : std::nullopt;
}

}  // namespace partita
