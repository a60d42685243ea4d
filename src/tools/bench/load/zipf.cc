#include "tools/bench/load/zipf.h"

#include "base/check.h"

#include <algorithm>
#include <cmath>

namespace partita::tools::bench {
namespace {

// Beyond this the sum is continued with its integral (Euler-Maclaurin), which is then right to the last digits of a double.
constexpr uint64_t kSummedItems = 100'000;

double tail(uint64_t from, uint64_t to, double exponent) {
  const auto first = static_cast<double>(from);
  const auto last = static_cast<double>(to);
  const double integral = (std::pow(last, 1 - exponent) - std::pow(first, 1 - exponent)) / (1 - exponent);
  return integral + (std::pow(last, -exponent) - std::pow(first, -exponent)) / 2;
}

uint64_t fnv(uint64_t value) {
  uint64_t hash = 0xCBF29CE484222325;
  for (int byte = 0; byte < 8; ++byte, value >>= 8) hash = (hash ^ (value & 0xFF)) * 1099511628211;
  return hash;
}

// The absolute value of what Java takes for a signed number.
uint64_t positive(uint64_t hash) { return hash >> 63 == 0 ? hash : 0 - hash; }

}  // namespace

double zeta(uint64_t items, double exponent) {
  double sum = 0;
  for (uint64_t i = 1; i <= std::min(items, kSummedItems); ++i) sum += 1 / std::pow(static_cast<double>(i), exponent);
  return items <= kSummedItems ? sum : sum + tail(kSummedItems, items, exponent);
}

Zipf::Zipf(uint64_t items, double exponent) : items_(items), exponent_(exponent), zeta_(zeta(items, exponent)) {
  CHECK(items > 0 && exponent >= 0 && exponent <= kZipfExponentMax);
  derive();
}

void Zipf::grow(uint64_t items) {
  CHECK(items >= items_);
  for (uint64_t i = items_ + 1; i <= items; ++i) zeta_ += 1 / std::pow(static_cast<double>(i), exponent_);
  items_ = items;
  derive();
}

void Zipf::derive() {
  const double two = 1 + std::pow(0.5, exponent_);
  second_ = two;
  eta_ = items_ <= 2 ? 0 : (1 - std::pow(2 / static_cast<double>(items_), 1 - exponent_)) / (1 - two / zeta_);
}

uint64_t Zipf::draw(RandomSource& random) const {
  const double unit = random.unit();
  const double place = unit * zeta_;
  if (place < 1) return 0;
  if (place < second_ || items_ <= 2) return std::min<uint64_t>(1, items_ - 1);
  const double share = std::pow(eta_ * unit - eta_ + 1, 1 / (1 - exponent_));
  return std::min(static_cast<uint64_t>(static_cast<double>(items_) * share), items_ - 1);
}

ScrambledZipf::ScrambledZipf(uint64_t items, double exponent)
    : items_(items), ranks_(exponent == kZipfExponent ? kRanks : items, exponent) {}

uint64_t ScrambledZipf::draw(RandomSource& random) const { return positive(fnv(ranks_.draw(random))) % items_; }

}  // namespace partita::tools::bench
