#pragma once

#include <cstdint>

namespace partita::tools::bench {

// The finalizer of SplitMix64: neighbouring numbers give unrelated ones. One to one.
constexpr uint64_t mix(uint64_t value) {
  value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9;
  value = (value ^ value >> 27) * 0x94D049BB133111EB;
  return value ^ value >> 31;
}

// RandomSource: SplitMix64. Not thread-safe; the same seed gives the same numbers everywhere, so documents can be made again.
class RandomSource {
 public:
  explicit RandomSource(uint64_t seed) : state_(mix(seed + kStep)) {}

  uint64_t next() { return mix(state_ += kStep); }
  // Uniform in [0, bound), but for a bias of less than bound / 2^64. REQUIRES: bound > 0.
  uint64_t below(uint64_t bound) { return static_cast<uint64_t>(static_cast<unsigned __int128>(next()) * bound >> 64); }
  // Uniform in [0, 1).
  double unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }

 private:
  static constexpr uint64_t kStep = 0x9E3779B97F4A7C15;

  uint64_t state_;
};

}  // namespace partita::tools::bench
