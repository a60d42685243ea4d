#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace partita::tools {

enum class LoadKind {
  kEven,        // every key value alike
  kZipf,        // the n-th key value gets 1/n of what the first gets
  kTimeSeries,  // key values are stretches of time: most of the load is on the newest
};

// The share of a container's load that each of its key values has, at a time between 0 (the beginning) and 1 (the end). The
// shares add up to 1.
std::vector<double> load_shares(LoadKind kind, size_t key_values, double time);

}  // namespace partita::tools
