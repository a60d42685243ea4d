#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace partita {

__extension__ typedef unsigned __int128 Uint128;

// DecimalNumber: ± coefficient * 10^exponent. A plain value.
struct DecimalNumber {
  bool is_negative = false;
  Uint128 coefficient = 0;
  int exponent = 0;
};

// Decimal128: a decimal floating point number of IEEE 754-2008 in its binary encoding (BID): up to 34 digits, exponents from
// -6176 to 6111, infinities, NaN. A plain value of 16 bytes.
//
//   high  | sign, 1 | exponent + 6176, 14 bits | upper 49 bits of the coefficient |     infinity: sign 11110, NaN: sign 11111
//   low   | lower 64 bits of the coefficient |
//
// 1, 1.0 and 1.00 are different encodings of equal numbers; each keeps its digits. What has a coefficient of more than 34 digits,
// or one beyond 113 bits, is a zero, as the standard says.
class Decimal128 {
 public:
  static constexpr unsigned kDigitsMax = 34;
  static constexpr int kExponentMin = -6176;
  static constexpr int kExponentMax = 6111;

  constexpr Decimal128() = default;  // 0E-6176
  constexpr Decimal128(uint64_t high, uint64_t low) : high_(high), low_(low) {}

  // REQUIRES: a coefficient of at most kDigitsMax digits and an exponent within the limits.
  static Decimal128 of(const DecimalNumber& number);
  // Exactly this number, with another exponent and zeros where it must; nothing when no decimal128 is.
  static std::optional<Decimal128> fitting(DecimalNumber number);
  // What to_text() writes, and other spellings: "-1.5", "1E+3", ".5", "Infinity", "-inf", "NaN" in any case. Nothing when it is
  // no number, or when no decimal128 is exactly that number: nothing is rounded.
  static std::optional<Decimal128> parse(std::string_view text);

  uint64_t high() const { return high_; }
  uint64_t low() const { return low_; }

  bool is_negative() const { return (high_ >> 63) != 0; }
  bool is_nan() const { return (high_ >> 58 & 0x1F) == 0x1F; }
  bool is_infinite() const { return (high_ >> 58 & 0x1F) == 0x1E; }
  bool is_finite() const { return (high_ >> 59 & 0xF) != 0xF; }
  // REQUIRES: is_finite().
  DecimalNumber number() const;

  // As the standard's to-scientific-string: digits and exponent are kept. "1.50", "1E+3", "-Infinity", "NaN".
  std::string to_text() const;
  // The nearest one; infinite when it is beyond all doubles.
  double nearest_double() const;
  // Exactly this number, if it is an integer that fits. Not for a negative zero.
  std::optional<int64_t> exact_integer() const;

  // Of the encoding, not of the number.
  bool operator==(const Decimal128&) const = default;

 private:
  uint64_t high_ = 0;
  uint64_t low_ = 0;
};

// Enough for the text of a coefficient.
inline constexpr size_t kUint128DigitsMax = 39;
// Writes the digits of the coefficient, without leading zeros ("0" for none), and returns how many.
size_t write_digits(char (&out)[kUint128DigitsMax], Uint128 coefficient);

// The same number without trailing zeros in its coefficient; a zero has the exponent 0. The exponent may leave a decimal128's
// limits.
DecimalNumber normalised(DecimalNumber number);

}  // namespace partita
