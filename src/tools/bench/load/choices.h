#pragma once

#include "tools/bench/load/random_source.h"
#include "tools/bench/load/workload.h"
#include "tools/bench/load/zipf.h"

#include <cstdint>
#include <optional>

namespace partita::tools::bench {

// KeyChooser: the numbers of documents in the order that a workload asks for. Not thread-safe; each connection has its own.
class KeyChooser {
 public:
  // `documents`: how many there are at first. A zipfian order stays among them; uniform and latest follow the growth.
  KeyChooser(KeyOrder order, uint64_t documents, double exponent);

  // A number below `readable`. REQUIRES: readable > 0, and it never shrinks.
  uint64_t choose(RandomSource& random, uint64_t readable);
  // Where a sequential order begins, so that connections do not walk side by side.
  void begin_at(uint64_t number) { next_ = number; }

 private:
  KeyOrder order_;
  uint64_t next_ = 0;
  std::optional<ScrambledZipf> scrambled_;
  std::optional<Zipf> latest_;
};

// The kind of the next operation, in the workload's proportion.
OperationKind choose_kind(const Workload& workload, RandomSource& random);

}  // namespace partita::tools::bench
