#include "base/random.h"

#include "base/check.h"
#include "base/encodings.h"

#include <array>
#include <bit>

namespace partita {

uint64_t Random::system_seed() {
  std::random_device device;
  return (static_cast<uint64_t>(device()) << 32) | device();
}

uint64_t Random::next() {
  std::lock_guard lock(mutex_);
  return engine_();
}

uint64_t Random::below(uint64_t bound) {
  CHECK(bound > 0);
  std::lock_guard lock(mutex_);
  return std::uniform_int_distribution<uint64_t>(0, bound - 1)(engine_);
}

std::string Random::uuid() {
  uint64_t high = next();
  uint64_t low = next();
  high = (high & ~0xF000ULL) | 0x4000ULL;
  low = (low & ~(3ULL << 62)) | (2ULL << 62);
  std::string text;
  text.reserve(36);
  for (int i = 0; i < 16; ++i) {
    const uint64_t half = i < 8 ? high : low;
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    append_hex_lower(text, static_cast<uint8_t>(half >> (56 - 8 * (i % 8))));
  }
  return text;
}

}  // namespace partita
