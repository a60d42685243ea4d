#pragma once

#include <cstdint>
#include <mutex>
#include <random>
#include <string>

namespace partita {

// Where randomness comes from. Thread-safe. Seeded, so that simulations repeat; the server seeds it from the system.
class Random {
 public:
  explicit Random(uint64_t seed) : engine_(seed) {}
  static uint64_t system_seed();

  uint64_t next();
  // Uniform in [0, bound). REQUIRES: bound > 0.
  uint64_t below(uint64_t bound);
  // A version 4 UUID in lower case with hyphens.
  std::string uuid();

 private:
  std::mutex mutex_;
  std::mt19937_64 engine_;
};

}  // namespace partita
