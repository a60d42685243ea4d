#include "base/random.h"

#include "base/check.h"

#include <array>
#include <bit>

namespace partita {
namespace {

constexpr char kHexLower[] = "0123456789abcdef";

}  // namespace

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
  uint64_t high;
  uint64_t low;
  {
    std::lock_guard lock(mutex_);
    high = engine_();
    low = engine_();
  }
  high = (high & ~0xF000ULL) | 0x4000ULL;
  low = (low & ~(3ULL << 62)) | (2ULL << 62);
  std::string text = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
  char* at = text.data();
  for (const uint64_t half : {high, low}) {
    for (int shift = 60; shift >= 0; shift -= 4) {
      if (*at == '-') ++at;
      *at++ = kHexLower[half >> shift & 15];
    }
  }
  return text;
}

}  // namespace partita
