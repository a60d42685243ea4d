#include "document/decimal128.h"

#include "base/check.h"

#include <algorithm>
#include <charconv>
#include <climits>
#include <limits>

namespace partita {

namespace {

constexpr int kBias = 6176;
constexpr uint64_t kSign = uint64_t{1} << 63;
constexpr uint64_t kInfinity = uint64_t{0x1E} << 58;
constexpr uint64_t kNan = uint64_t{0x1F} << 58;
constexpr int kCoefficientBitsInHigh = 49;
constexpr uint64_t kCoefficientInHigh = (uint64_t{1} << kCoefficientBitsInHigh) - 1;
constexpr unsigned kExponentMask = 0x3FFF;
// Exponents of texts are counted up to here, which no number of digits makes good.
constexpr int64_t kTextExponentBound = int64_t{1} << 60;

constexpr Uint128 kCoefficientMax = [] {
  Uint128 power = 1;
  for (unsigned i = 0; i < Decimal128::kDigitsMax; ++i) power *= 10;
  return power - 1;
}();

bool is_digit(char character) { return character >= '0' && character <= '9'; }

bool equal_ignoring_case(std::string_view text, std::string_view lower) {
  return std::ranges::equal(text, lower, [](char left, char right) {
    return (left >= 'A' && left <= 'Z' ? static_cast<char>(left - 'A' + 'a') : left) == right;
  });
}

// DecimalTextReader: digits, a point and an exponent to a coefficient and an exponent, without rounding.
class DecimalTextReader {
 public:
  explicit DecimalTextReader(std::string_view text) : text_(text) {}

  // Without the sign. Nothing when it is no number or has more digits than a coefficient holds.
  std::optional<DecimalNumber> read() {
    read_digits(false);
    if (take('.')) read_digits(true);
    if (!has_digits_) return std::nullopt;
    if ((take('e') || take('E')) && !read_exponent()) return std::nullopt;
    if (!text_.empty() || !is_exact_) return std::nullopt;
    return DecimalNumber{.coefficient = coefficient_,
                         .exponent = static_cast<int>(std::clamp<int64_t>(exponent_, INT_MIN, INT_MAX))};
  }

 private:
  bool take(char expected) {
    if (!text_.starts_with(expected)) return false;
    text_.remove_prefix(1);
    return true;
  }

  void read_digits(bool is_fraction) {
    for (; !text_.empty() && is_digit(text_.front()); text_.remove_prefix(1)) {
      has_digits_ = true;
      add_digit(static_cast<unsigned>(text_.front() - '0'), is_fraction);
    }
  }

  // A full coefficient stays full; then only zeros may follow.
  void add_digit(unsigned digit, bool is_fraction) {
    const bool is_full = coefficient_ > kCoefficientMax / 10;
    if (is_full) {
      is_exact_ = is_exact_ && digit == 0;
      if (!is_fraction) ++exponent_;
      return;
    }
    coefficient_ = coefficient_ * 10 + digit;
    if (is_fraction) --exponent_;
  }

  bool read_exponent() {
    const bool is_negative = take('-');
    if (!is_negative) take('+');
    if (text_.empty() || !is_digit(text_.front())) return false;
    int64_t exponent = 0;
    for (; !text_.empty() && is_digit(text_.front()); text_.remove_prefix(1)) {
      exponent = std::min(exponent * 10 + (text_.front() - '0'), kTextExponentBound / 10);
    }
    exponent_ += is_negative ? -exponent : exponent;
    return true;
  }

  std::string_view text_;
  Uint128 coefficient_ = 0;
  int64_t exponent_ = 0;
  bool has_digits_ = false;
  bool is_exact_ = true;
};

}  // namespace

size_t write_digits(char (&out)[kUint128DigitsMax], Uint128 coefficient) {
  char* at = out + kUint128DigitsMax;
  do {
    *--at = static_cast<char>('0' + static_cast<int>(coefficient % 10));
    coefficient /= 10;
  } while (coefficient != 0);
  const auto count = static_cast<size_t>(out + kUint128DigitsMax - at);
  std::copy(at, at + count, out);
  return count;
}

DecimalNumber normalised(DecimalNumber number) {
  if (number.coefficient == 0) return {.is_negative = number.is_negative};
  for (; number.coefficient % 10 == 0; ++number.exponent) number.coefficient /= 10;
  return number;
}

Decimal128 Decimal128::of(const DecimalNumber& number) {
  CHECK(number.coefficient <= kCoefficientMax && number.exponent >= kExponentMin && number.exponent <= kExponentMax);
  const auto exponent = static_cast<uint64_t>(int64_t{number.exponent} + kBias);
  const uint64_t high =
      (number.is_negative ? kSign : 0) | exponent << kCoefficientBitsInHigh | static_cast<uint64_t>(number.coefficient >> 64);
  return {high, static_cast<uint64_t>(number.coefficient)};
}

std::optional<Decimal128> Decimal128::fitting(DecimalNumber number) {
  if (number.coefficient > kCoefficientMax) return std::nullopt;
  if (number.coefficient == 0) {
    number.exponent = std::clamp(number.exponent, kExponentMin, kExponentMax);
    return of(number);
  }
  for (; number.exponent > kExponentMax && number.coefficient <= kCoefficientMax / 10; --number.exponent)
    number.coefficient *= 10;
  for (; number.exponent < kExponentMin && number.coefficient % 10 == 0; ++number.exponent) number.coefficient /= 10;
  if (number.exponent > kExponentMax || number.exponent < kExponentMin) return std::nullopt;
  return of(number);
}

std::optional<Decimal128> Decimal128::parse(std::string_view text) {
  const bool is_negative = text.starts_with('-');
  if (is_negative || text.starts_with('+')) text.remove_prefix(1);
  const uint64_t sign = is_negative ? kSign : 0;
  if (equal_ignoring_case(text, "infinity") || equal_ignoring_case(text, "inf")) return Decimal128(kInfinity | sign, 0);
  if (equal_ignoring_case(text, "nan")) return Decimal128(kNan, 0);
  std::optional<DecimalNumber> number = DecimalTextReader(text).read();
  if (!number) return std::nullopt;
  number->is_negative = is_negative;
  return fitting(*number);
}

DecimalNumber Decimal128::number() const {
  CHECK(is_finite());
  DecimalNumber number{.is_negative = is_negative()};
  // With these two bits the exponent is further right, and the coefficient more than 113 bits long, thus no coefficient.
  const bool is_long = (high_ >> 61 & 3) == 3;
  const int shift = is_long ? kCoefficientBitsInHigh - 2 : kCoefficientBitsInHigh;
  number.exponent = static_cast<int>(high_ >> shift & kExponentMask) - kBias;
  if (!is_long) number.coefficient = static_cast<Uint128>(high_ & kCoefficientInHigh) << 64 | low_;
  if (number.coefficient > kCoefficientMax) number.coefficient = 0;
  return number;
}

std::string Decimal128::to_text() const {
  if (is_nan()) return "NaN";
  if (is_infinite()) return is_negative() ? "-Infinity" : "Infinity";
  const DecimalNumber number = this->number();
  char buffer[kUint128DigitsMax];
  const std::string_view digits(buffer, write_digits(buffer, number.coefficient));
  const int scientific = number.exponent + static_cast<int>(digits.size()) - 1;
  std::string text = number.is_negative ? "-" : "";
  if (number.exponent <= 0 && scientific >= -6) {
    const int whole = static_cast<int>(digits.size()) + number.exponent;  // digits before the point
    if (number.exponent == 0) return text.append(digits);
    if (whole <= 0) return text.append("0.").append(static_cast<size_t>(-whole), '0').append(digits);
    return text.append(digits.substr(0, static_cast<size_t>(whole)))
        .append(".")
        .append(digits.substr(static_cast<size_t>(whole)));
  }
  text += digits.front();
  if (digits.size() > 1) text.append(".").append(digits.substr(1));
  return text.append(scientific < 0 ? "E" : "E+").append(std::to_string(scientific));
}

double Decimal128::nearest_double() const {
  if (is_nan()) return std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  if (is_infinite()) return is_negative() ? -infinity : infinity;
  const DecimalNumber number = this->number();
  char text[kUint128DigitsMax + 8];
  char digits[kUint128DigitsMax];
  const size_t count = write_digits(digits, number.coefficient);
  char* end = std::copy_n(digits, count, text);
  *end++ = 'e';
  end = std::to_chars(end, text + sizeof text, number.exponent).ptr;
  double magnitude = 0;
  if (std::from_chars(text, end, magnitude).ec != std::errc()) {
    magnitude = number.exponent + static_cast<int>(count) > 0 ? infinity : 0.0;
  }
  return number.is_negative ? -magnitude : magnitude;
}

std::optional<int64_t> Decimal128::exact_integer() const {
  if (!is_finite()) return std::nullopt;
  DecimalNumber number = normalised(this->number());
  if (number.coefficient == 0) return number.is_negative ? std::nullopt : std::optional<int64_t>(0);
  constexpr int kIntegerDigitsMax = 19;
  const Uint128 limit = Uint128{1} << 63;
  if (number.exponent < 0 || number.exponent > kIntegerDigitsMax || number.coefficient > limit) return std::nullopt;
  for (; number.exponent > 0; --number.exponent) number.coefficient *= 10;
  if (number.coefficient > limit || (number.coefficient == limit && !number.is_negative)) return std::nullopt;
  const auto magnitude = static_cast<uint64_t>(number.coefficient);
  return static_cast<int64_t>(number.is_negative ? uint64_t{0} - magnitude : magnitude);
}

}  // namespace partita
