#pragma once

#include "base/random.h"

#include <atomic>
#include <cstdint>
#include <string>

namespace partita {

// EtagSource: a new version text for every write, quotes included, in the service's shape and always of the same length.
// Thread-safe. Two texts are equal only if made by sources that started at the same random place in the same second.
class EtagSource {
 public:
  explicit EtagSource(Random& random) : next_(random.next() >> 16) {}
  std::string next(int64_t unix_seconds);

 private:
  std::atomic<uint64_t> next_;
};

}  // namespace partita
