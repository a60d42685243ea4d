#include "document/exact_number.h"

#include "base/check.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

namespace partita {

namespace {

constexpr double kDoubleMax = std::numeric_limits<double>::max();
// Of numbers in scientific notation: beyond the first one all are greater than every double, below the second one less than all.
constexpr int kDoubleExponentMax = 308;
constexpr int kDoubleExponentMin = -324;

// BigNumber: an unsigned integer of up to kWords * 64 bits. Enough for both sides of compare_exactly(), which see there.
class BigNumber {
 public:
  explicit BigNumber(Uint128 value) : words_{static_cast<uint64_t>(value), static_cast<uint64_t>(value >> 64)} {}

  void multiply_by_power_of_five(int exponent) {
    constexpr int kStep = 27;  // 5^27 is the greatest power that fits into a word
    constexpr auto kPowers = [] {
      std::array<uint64_t, kStep + 1> powers{1};
      for (size_t i = 1; i < powers.size(); ++i) powers[i] = powers[i - 1] * 5;
      return powers;
    }();
    for (; exponent > kStep; exponent -= kStep) multiply(kPowers[kStep]);
    multiply(kPowers[static_cast<size_t>(exponent)]);
  }

  void shift_left(int bits) {
    const auto words = static_cast<size_t>(bits / 64);
    const int rest = bits % 64;
    for (size_t i = kWords; i-- > 0;) {
      uint64_t word = i >= words ? words_[i - words] << rest : 0;
      if (rest > 0 && i > words) word |= words_[i - words - 1] >> (64 - rest);
      words_[i] = word;
    }
  }

  std::strong_ordering operator<=>(const BigNumber& other) const {
    for (size_t i = kWords; i-- > 0;) {
      if (words_[i] != other.words_[i]) return words_[i] <=> other.words_[i];
    }
    return std::strong_ordering::equal;
  }

 private:
  static constexpr size_t kWords = 40;

  void multiply(uint64_t factor) {
    uint64_t carry = 0;
    for (uint64_t& word : words_) {
      const Uint128 product = static_cast<Uint128>(word) * factor + carry;
      word = static_cast<uint64_t>(product);
      carry = static_cast<uint64_t>(product >> 64);
    }
    CHECK(carry == 0);
  }

  std::array<uint64_t, kWords> words_{};
};

// coefficient * 10^exponent with mantissa * 2^k, both multiplied by what makes them integers. The decimal is within
// kDoubleExponentMin and kDoubleExponentMax, so |exponent| <= 358 and k is from -1074 to 971: at most 2211 bits on either side.
std::strong_ordering compare_exactly(const DecimalNumber& decimal, double magnitude) {
  constexpr int kMantissaBits = 53;
  int binary_exponent = 0;
  const double fraction = std::frexp(magnitude, &binary_exponent);
  BigNumber left(decimal.coefficient);
  BigNumber right(static_cast<uint64_t>(std::ldexp(fraction, kMantissaBits)));
  binary_exponent -= kMantissaBits;
  decimal.exponent >= 0 ? left.multiply_by_power_of_five(decimal.exponent) : right.multiply_by_power_of_five(-decimal.exponent);
  const int shift = decimal.exponent - binary_exponent;
  shift >= 0 ? left.shift_left(shift) : right.shift_left(-shift);
  return left <=> right;
}

double with_sign(double magnitude, bool is_negative) { return is_negative ? -magnitude : magnitude; }

std::strong_ordering reversed(std::strong_ordering order, bool is_reversed) { return is_reversed ? 0 <=> order : order; }

}  // namespace

int digit_count(Uint128 coefficient) {
  int count = 1;
  for (; coefficient >= 10; coefficient /= 10) ++count;
  return count;
}

ExactNumber ExactNumber::of(double value) { return {.truncated = value == 0 ? 0.0 : value}; }

ExactNumber ExactNumber::of(int64_t value) {
  constexpr int kMantissaBits = 53;
  const bool is_negative = value < 0;
  const uint64_t magnitude = is_negative ? uint64_t{0} - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
  const int lost = std::max(0, static_cast<int>(std::bit_width(magnitude)) - kMantissaBits);
  const uint64_t kept = magnitude >> lost << lost;
  ExactNumber number{.truncated = with_sign(static_cast<double>(kept), is_negative), .is_exact = kept == magnitude};
  if (value == 0) number.truncated = 0;
  if (!number.is_exact) number.whole = normalised({.is_negative = is_negative, .coefficient = magnitude});
  return number;
}

ExactNumber ExactNumber::of(const Decimal128& value) {
  if (!value.is_finite()) return of(value.nearest_double());
  const DecimalNumber decimal = normalised(value.number());
  if (decimal.coefficient == 0) return of(0.0);
  const int scientific = decimal.exponent + digit_count(decimal.coefficient) - 1;
  ExactNumber number{.truncated = 0, .is_exact = false, .whole = decimal};
  double magnitude = std::abs(value.nearest_double());
  if (scientific > kDoubleExponentMax) {
    magnitude = kDoubleMax;
  } else if (scientific < kDoubleExponentMin) {
    magnitude = 0;
  } else {
    magnitude = std::min(magnitude, kDoubleMax);
    const std::strong_ordering order = magnitude == 0 ? std::strong_ordering::greater : compare_exactly(decimal, magnitude);
    number.is_exact = order == 0;
    if (order < 0) magnitude = std::nextafter(magnitude, 0.0);
  }
  number.truncated = with_sign(magnitude, decimal.is_negative);
  return number;
}

ExactNumber ExactNumber::of(const Value& value) {
  switch (value.kind()) {
    case ValueKind::kFloat64: return of(value.float64());
    case ValueKind::kDecimal128: return of(value.decimal());
    default: break;
  }
  const std::optional<int64_t> integer = value.integer();
  return integer ? of(*integer) : of(value.number());
}

std::strong_ordering compare_magnitudes(const DecimalNumber& left, const DecimalNumber& right) {
  const int left_digits = digit_count(left.coefficient);
  const int right_digits = digit_count(right.coefficient);
  if (const auto order = left.exponent + left_digits <=> right.exponent + right_digits; order != 0) return order;
  // The shorter one gets zeros; 34 digits and as many as the difference stay within 128 bits, because neither has more.
  Uint128 one = left.coefficient;
  Uint128 other = right.coefficient;
  for (int i = left_digits; i < right_digits; ++i) one *= 10;
  for (int i = right_digits; i < left_digits; ++i) other *= 10;
  return one <=> other;
}

std::strong_ordering compare(const ExactNumber& left, const ExactNumber& right) {
  const bool is_left_nan = std::isnan(left.truncated);
  const bool is_right_nan = std::isnan(right.truncated);
  if (is_left_nan || is_right_nan) return is_right_nan <=> is_left_nan;
  if (left.truncated < right.truncated) return std::strong_ordering::less;
  if (left.truncated > right.truncated) return std::strong_ordering::greater;
  // Of equal doubles; 0 and -0 are, and between them is only the zero itself.
  const bool is_left_negative = std::signbit(left.truncated);
  const bool is_right_negative = std::signbit(right.truncated);
  if (is_left_negative != is_right_negative) return is_right_negative <=> is_left_negative;
  if (left.is_exact || right.is_exact) return reversed(right.is_exact <=> left.is_exact, is_left_negative);
  return reversed(compare_magnitudes(left.whole, right.whole), is_left_negative);
}

}  // namespace partita
