#pragma once

#include <cstdint>
#include <string_view>

// MurmurHash3 by Austin Appleby (public domain), seed 0: the hashes of the service's partition keys.
namespace partita {

struct Hash128 {
  uint64_t low = 0;
  uint64_t high = 0;

  bool operator==(const Hash128&) const = default;
};

uint32_t murmur3_x86_32(std::string_view bytes);
Hash128 murmur3_x64_128(std::string_view bytes);

}  // namespace partita
