#pragma once

#include "tools/bench/load/arrivals.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <vector>

namespace partita::tools::bench {

// Turns: which connection begins an operation when, and since when that operation is due. Not thread-safe. Times in nanoseconds.
//
// In a closed loop a connection begins as soon as it is free. In an open loop operations are due at their own times: one that no
// connection was free for begins late, and its latency counts from when it was due (so a server that stalls cannot hide behind
// clients that wait for it).
class Turns {
 public:
  struct Terms {
    uint64_t operations_max = std::numeric_limits<uint64_t>::max();
    int64_t end_ns = std::numeric_limits<int64_t>::max();  // nothing is due from then on
    double rate = 0;                                       // operations a second; 0: a closed loop
    Arrivals::Spacing spacing = Arrivals::Spacing::kPoisson;
    uint64_t seed = 1;
  };
  struct Turn {
    size_t connection;
    int64_t due_ns;
  };

  Turns(const Terms& terms, int64_t start_ns);

  // For a connection that has become free: since when its next operation is due. Nothing: it is idle until due() names it.
  std::optional<int64_t> next(size_t connection, int64_t now_ns);
  // It is free, but begins nothing before this time.
  void rest(size_t connection, int64_t until_ns);
  // An idle connection that is to begin now.
  std::optional<Turn> due(int64_t now_ns);
  // When due() may have something if no connection becomes free; nothing: never.
  std::optional<int64_t> wake_at() const;

  void stop() { is_stopped_ = true; }
  bool is_over(int64_t now_ns) const;
  uint64_t begun() const { return begun_; }
  // How many operations were due before now and did not begin.
  uint64_t missed(int64_t now_ns);

 private:
  std::optional<int64_t> take(int64_t now_ns);

  Terms terms_;
  std::optional<Arrivals> arrivals_;
  std::vector<size_t> idle_;
  std::multimap<int64_t, size_t> resting_;
  uint64_t begun_ = 0;
  bool is_stopped_ = false;
};

}  // namespace partita::tools::bench
