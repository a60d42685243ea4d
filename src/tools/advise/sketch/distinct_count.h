#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace partita::tools::advise {

// DistinctCount: how many different hashes were added, in 16 KB (HyperLogLog of Flajolet et al., with linear counting below). The
// standard error is 0.8 %. Not thread-safe.
class DistinctCount {
 public:
  // REQUIRES: all bits of the hash are mixed.
  void add(uint64_t hash);
  double estimate() const;

 private:
  static constexpr int kIndexBits = 14;
  static constexpr size_t kRegisters = size_t{1} << kIndexBits;

  std::array<uint8_t, kRegisters> registers_{};
};

}  // namespace partita::tools::advise
