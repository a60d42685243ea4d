#pragma once

#include "base/result.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
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

// The same for a distribution of the user's own: key values take its numbers in turns. REQUIRES: one of them is positive.
std::vector<double> load_shares(const std::vector<double>& weights, size_t key_values);

// Reads such a distribution: a number per line, none negative; empty lines and those that begin with # do not count. The message
// names file and line.
Result<std::vector<double>> read_shares(const std::string& path);
Result<std::vector<double>> parse_shares(std::string_view text, std::string_view path);

}  // namespace partita::tools
