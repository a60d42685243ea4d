#pragma once

#include "base/result.h"
#include "base/turn.h"
#include "cluster/catalog/catalog.h"
#include "cluster/reshape/reshape_decider.h"
#include "document/stored/stored_writer.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace partita::tools {

// Partition keys that one plan compares; each takes memory for its key values and a pass over all documents.
inline constexpr size_t kCandidatesMax = 8;

struct PlanOptions {
  std::string database = {};
  std::string container = {};
  std::optional<int64_t> throughput = {};                 // instead of the present one
  std::vector<std::vector<std::string>> candidates = {};  // other partition keys: the paths of each
  // That paths of the candidates name: an array as clients write it, in stored form; else empty.
  std::string computed_properties = {};
  ReshapeLimits limits = {};
  size_t bytes_max = SIZE_MAX;  // of memory for the values of one key; two are in memory at once
  Turn* turn = nullptr;         // in which it gives way to others, and ends when it is cancelled (kUnavailable)
};

// What one partition has.
struct PlannedPartition {
  EffectiveKeyRange range;
  uint64_t key_values = 0;
  uint64_t documents = 0;
  uint64_t bytes = 0;
  uint64_t bytes_of_largest = 0;
  double units_per_second = 0;  // in the busiest minute of the last hour
  bool can_split = true;
};

struct PlannedKeyValue {
  std::string key_json;
  uint64_t documents = 0;
  uint64_t bytes = 0;
  double units_per_second = 0;
};

// What one partition key makes of the container.
struct KeyPlan {
  std::vector<std::string> paths;  // none: a container without partition key
  uint64_t key_values = 0;
  uint64_t documents = 0;
  uint64_t documents_without = 0;  // have no value at one of the paths or more
  uint64_t bytes = 0;
  std::vector<PlannedKeyValue> largest;
  std::vector<PlannedKeyValue> busiest;      // none when nothing was asked for in the last hour
  std::vector<PlannedPartition> partitions;  // before splits and merges
  std::vector<std::string> steps;            // what is split and merged
  std::vector<PlannedPartition> planned;     // afterwards
};

struct Plan {
  int64_t present_throughput = 0;
  int64_t throughput = 0;
  KeyPlan present;
  std::vector<KeyPlan> candidates;
};

// How the container's documents and its load are spread over its partitions, and how they would be. Changes nothing.
Result<Plan> plan_split(const Catalog& catalog, const PlanOptions& options);

// For people, in 80 columns, and for programs.
std::string plan_text(const Plan& plan);
void write_plan(StoredWriter& out, const Plan& plan);

// What one partition may use of the throughput.
double partition_budget(const std::vector<PlannedPartition>& partitions, int64_t throughput);

}  // namespace partita::tools
