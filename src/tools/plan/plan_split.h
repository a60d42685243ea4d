#pragma once

#include "base/result.h"
#include "cluster/catalog/catalog.h"
#include "cluster/reshape/reshape_decider.h"

#include <optional>
#include <string>
#include <vector>

namespace partita::tools {

struct PlanOptions {
  std::string database = {};
  std::string container = {};
  std::optional<int64_t> throughput = {};       // instead of the present one
  std::vector<std::string> partition_key = {};  // paths, instead of the present ones
  ReshapeLimits limits = {};
};

// How the container's documents and its load are spread over its partitions, and how they would be, as text.
// Changes nothing.
Result<std::string> plan_split(const Catalog& catalog, const PlanOptions& options);

}  // namespace partita::tools
