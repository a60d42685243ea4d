#pragma once

#include "document/decimal128.h"
#include "document/value.h"

#include <compare>

namespace partita {

// ExactNumber: a number of any kind in one shape, so that int32, int64, float64 and decimal128 compare by their exact values. A
// plain value.
//
// Most numbers are doubles, or integers that a double holds. Of the others a double says most, and the decimal number the rest:
// two of them between the same neighbouring doubles are both decimals of at most 34 digits, which compare digit by digit.
struct ExactNumber {
  double truncated = 0;  // toward zero; never -0 unless the number is below zero; beyond all doubles the largest one; NaN of NaN
  bool is_exact = true;  // truncated is the number itself
  DecimalNumber whole = {};  // of one that is not exact: the number, normalised

  static ExactNumber of(double value);
  static ExactNumber of(int64_t value);
  static ExactNumber of(const Decimal128& value);
  // REQUIRES: a number, or an infinity or NaN. A number that is kept as text counts as its nearest double.
  static ExactNumber of(const Value& value);
};

// NaN is equal to itself and less than all others; -0 is 0.
std::strong_ordering compare(const ExactNumber& left, const ExactNumber& right);

// By magnitude, whatever the signs. REQUIRES: normalised, neither is zero.
std::strong_ordering compare_magnitudes(const DecimalNumber& left, const DecimalNumber& right);

// How many digits the coefficient has.
int digit_count(Uint128 coefficient);

}  // namespace partita
