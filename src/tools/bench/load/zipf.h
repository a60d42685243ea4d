#pragma once

#include "tools/bench/load/random_source.h"

#include <cstdint>

namespace partita::tools::bench {

// Of YCSB's workloads, and the most common one.
inline constexpr double kZipfExponent = 0.99;
// The method below needs one less than 1.
inline constexpr double kZipfExponentMax = 0.9999;

// Sum of 1 / i^exponent for i from 1 to `items`.
double zeta(uint64_t items, double exponent);

// Zipf: ranks of which the i-th (from 0) is drawn in proportion to 1 / (i + 1)^exponent, by the method of Gray et al.,
// "Quickly generating billion-record synthetic databases", which YCSB uses too: exact for the first two ranks, nearly so for the
// rest.
//
// Not thread-safe. It can grow, at the cost of the new items only.
class Zipf {
 public:
  // REQUIRES: items > 0, 0 <= exponent <= kZipfExponentMax.
  explicit Zipf(uint64_t items, double exponent = kZipfExponent);

  uint64_t items() const { return items_; }
  // REQUIRES: not fewer than now.
  void grow(uint64_t items);
  // In [0, items).
  uint64_t draw(RandomSource& random) const;

 private:
  void derive();

  uint64_t items_;
  double exponent_;
  double zeta_;
  double eta_ = 0;
  double second_ = 0;  // where the second rank's part of [0, zeta) ends
};

// ScrambledZipf: the same, with the popular items spread over all of them as YCSB does: the FNV-1a hash of a rank among ten
// thousand million, so that the shares do not depend on the number of items. With other exponents than kZipfExponent, of a rank
// among the items.
class ScrambledZipf {
 public:
  static constexpr uint64_t kRanks = 10'000'000'000;

  explicit ScrambledZipf(uint64_t items, double exponent = kZipfExponent);

  uint64_t draw(RandomSource& random) const;

 private:
  uint64_t items_;
  Zipf ranks_;
};

}  // namespace partita::tools::bench
