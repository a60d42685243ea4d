#include "tools/advise/sketch/distinct_count.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace partita::tools::advise {

void DistinctCount::add(uint64_t hash) {
  const size_t index = hash >> (64 - kIndexBits);
  // The bit behind the rest ends the count of zeros when the rest is zero.
  const uint64_t rest = hash << kIndexBits | uint64_t{1} << (kIndexBits - 1);
  const auto rank = static_cast<uint8_t>(std::countl_zero(rest) + 1);
  if (rank > registers_[index]) registers_[index] = rank;
}

double DistinctCount::estimate() const {
  constexpr auto kCount = static_cast<double>(kRegisters);
  constexpr double kAlpha = 0.7213 / (1 + 1.079 / kCount);
  constexpr double kLinearMax = 2.5 * kCount;
  double sum = 0;
  size_t empty = 0;
  for (const uint8_t rank : registers_) {
    sum += std::ldexp(1.0, -rank);
    empty += rank == 0 ? 1 : 0;
  }
  const double raw = kAlpha * kCount * kCount / sum;
  if (raw > kLinearMax || empty == 0) return raw;
  return kCount * std::log(kCount / static_cast<double>(empty));
}

}  // namespace partita::tools::advise
