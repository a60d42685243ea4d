#pragma once

#include "cluster/reshape/split_finder.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// When to split or merge a container's partitions. Pure: what is known goes in, one step or nothing comes out; whoever carries it
// out asks again afterwards.
namespace partita {

// Settings with the service's values as defaults.
struct ReshapeLimits {
  uint64_t partition_bytes_max = 50ULL << 30;  // a partition that is fuller is split
  int64_t partition_throughput_max = 10'000;   // RU/s that one partition can be given
  bool splits_by_load = false;                 // split a partition that is throttled while others are not
  bool merges = false;                         // merge neighbours on its own when they have become small
};

// What one partition holds and does at the moment; partitions come in the order of their ranges.
struct PartitionLoad {
  uint64_t bytes = 0;
  double units_per_second = 0;
  double throttled_share = 0;  // of the requests: 0 to 1
  bool can_split = true;       // false once the finder has said that no cut helps, until its content has changed
};

enum class ReshapeReason { kBytes, kThroughput, kLoad, kSmall };
std::string_view name_of(ReshapeReason reason);
// What a split for that reason is to achieve.
SplitAim aim_of(ReshapeReason reason);

struct ReshapeStep {
  enum class Kind { kSplit, kMerge };
  Kind kind = Kind::kSplit;
  size_t first = 0;  // the partition to split, or the left one of the two to merge
  ReshapeReason reason = ReshapeReason::kBytes;

  bool operator==(const ReshapeStep&) const = default;
};

// The most urgent step for a container with this throughput (RU/s, what its number of partitions is planned for). A merge is
// proposed only when its result is far from every reason to split again.
std::optional<ReshapeStep> next_step(const std::vector<PartitionLoad>& partitions, int64_t throughput,
                                     const ReshapeLimits& limits);

}  // namespace partita
