#pragma once

#include "cluster/reshape/reshape_decider.h"
#include "cluster/reshape/split_finder.h"
#include "document/key/partition_key.h"
#include "partition/charge/request_budget.h"
#include "tools/simulate/load_model.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace partita::tools {

struct SimulationOptions {
  size_t partitions = 10;
  LoadKind load = LoadKind::kZipf;
  uint64_t seed = 1;
  int hours = 24;
  double use = 0.8;  // the demand as a share of the throughput, on average
  size_t key_values_per_partition = 20;
  ReshapeLimits limits;
  std::vector<double> shares = {};  // of a user's own distribution, instead of `load`
};

// What happened in a simulation, or in a part of it.
struct SimulationTotals {
  size_t containers = 0;
  size_t partitions_before = 0;
  size_t partitions_after = 0;
  uint64_t splits_by_bytes = 0;
  uint64_t splits_by_throughput = 0;
  uint64_t splits_by_load = 0;
  uint64_t merges = 0;
  uint64_t refused_splits = 0;  // no cut would have helped
  double moved_bytes = 0;
  double stored_bytes = 0;
  double demanded_units = 0;
  double served_units = 0;
  uint64_t oversized_key_values = 0;  // that hold more than a logical partition may
  // At the end, of each partition relative to its container's mean.
  std::vector<float> load_ratios;
  std::vector<float> bytes_ratios;

  SimulationTotals& operator+=(const SimulationTotals& other);
};

// SimulatedContainer: a container that has no documents, only key values that are asked for and grow. Not thread-safe.
//
// Invariants: key values are sorted by hash; partitions are sorted, and each has a contiguous part of them.
class SimulatedContainer {
 public:
  // `number` makes it different from others with the same options. REQUIRES: 1 to kPartitionsMax partitions.
  static constexpr size_t kPartitionsMax = 100;
  SimulatedContainer(const SimulationOptions& options, size_t partitions, uint64_t number);

  // Serves the demand until the end, in ticks, and reshapes itself as the deciders say.
  SimulationTotals run();

 private:
  struct KeyValue {
    EffectivePartitionKey hash;
    size_t rank;  // its place in the load model
    double bytes = 0;
    double demand = 0;  // RU/s in this tick
  };
  struct SimulatedPartition {
    EffectiveKeyRange range;
    size_t first;  // of the key values
    size_t last;   // behind them
    std::unique_ptr<RequestBudget> budget;
    PartitionLoad load;
    double demand = 0;
  };

  void serve_tick(double time);
  double served_share(SimulatedPartition& partition);
  void reshape();
  void split(size_t at, ReshapeReason reason);
  void merge(size_t left);
  void share_throughput();
  void finish();

  const SimulationOptions& options_;
  PartitionKeyDefinition definition_;
  int64_t throughput_;
  double demand_;  // RU/s
  int64_t now_us_ = 0;
  std::vector<KeyValue> key_values_;
  std::vector<SimulatedPartition> partitions_;
  SimulationTotals totals_;
};

}  // namespace partita::tools
