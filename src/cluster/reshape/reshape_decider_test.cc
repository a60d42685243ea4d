#include "cluster/reshape/reshape_decider.h"

#include "base/golden_file.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <sstream>

namespace partita {
namespace {

std::string decide(const std::vector<std::string>& lines) {
  ReshapeLimits limits;
  int64_t throughput = 0;
  std::vector<PartitionLoad> partitions;
  for (const std::string& line : lines) {
    std::istringstream words(line);
    std::string what;
    words >> what;
    if (what == "bytes") words >> limits.partition_bytes_max;
    if (what == "by-load") limits.splits_by_load = true;
    if (what == "merges") limits.merges = true;
    if (what == "throughput") words >> throughput;
    if (what == "partition") {
      PartitionLoad& partition = partitions.emplace_back();
      words >> partition.bytes >> partition.units_per_second >> partition.throttled_share;
      std::string stuck;
      partition.can_split = !(words >> stuck);
    }
  }
  const std::optional<ReshapeStep> step = next_step(partitions, throughput, limits);
  if (!step) return "nothing";
  return fmt::format("{} {} by {}", step->kind == ReshapeStep::Kind::kSplit ? "split" : "merge", step->first,
                     name_of(step->reason));
}

TEST(ReshapeDecider, DecidesAsTheTextFileSays) { run_golden_file(TEST_DATA_DIR "/reshape_decider.txt", decide); }

}  // namespace
}  // namespace partita
