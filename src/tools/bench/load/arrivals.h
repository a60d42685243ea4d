#pragma once

#include "tools/bench/load/random_source.h"

#include <cstdint>

namespace partita::tools::bench {

// Arrivals: when operations are to begin, whatever became of those before: an open loop. Not thread-safe.
class Arrivals {
 public:
  enum class Spacing : uint8_t {
    kPoisson,  // as from many independent clients
    kFixed,
  };

  // Times in nanoseconds; the first operation is due one spacing after `start_ns`. REQUIRES: rate > 0, per second.
  Arrivals(double rate, Spacing spacing, int64_t start_ns, uint64_t seed);

  int64_t next_ns() const { return static_cast<int64_t>(next_ns_); }
  void advance();

 private:
  double mean_ns_;
  Spacing spacing_;
  RandomSource random_;
  double next_ns_;
};

}  // namespace partita::tools::bench
