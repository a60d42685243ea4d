#include "document/number.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

namespace partita {

namespace {

// The exact decimal number that a token denotes: digits * 10^exponent, without trailing zeros in the digits, so that equal
// numbers have equal members.
struct Decimal {
  bool is_valid = false;
  bool is_negative = false;
  bool is_exact = true;  // false: more significant digits than `digits` holds
  uint64_t digits = 0;
  int64_t exponent = 0;
  unsigned digit_count = 0;
};

constexpr unsigned kExactDigitsMax = 19;  // 10^19 - 1 fits in 64 bits
constexpr int64_t kExponentBound = 1'000'000'000;

bool is_digit(char character) { return character >= '0' && character <= '9'; }

// DecimalScanner: reads one token by the grammar of RFC 8259, left to right.
class DecimalScanner {
 public:
  explicit DecimalScanner(std::string_view token) : at_(token.data()), end_(token.data() + token.size()) {}

  Decimal scan() {
    decimal_.is_negative = take('-');
    if (at_ == end_ || !is_digit(*at_)) return {};
    if (*at_ == '0') {
      ++at_;
    } else {
      while (at_ != end_ && is_digit(*at_)) add_digit(*at_++, false);
    }
    if (take('.') && !scan_fraction()) return {};
    if ((take('e') || take('E')) && !scan_exponent()) return {};
    if (at_ != end_) return {};
    finish();
    return decimal_;
  }

 private:
  bool take(char expected) {
    if (at_ == end_ || *at_ != expected) return false;
    ++at_;
    return true;
  }

  bool scan_fraction() {
    if (at_ == end_ || !is_digit(*at_)) return false;
    while (at_ != end_ && is_digit(*at_)) add_digit(*at_++, true);
    return true;
  }

  bool scan_exponent() {
    const bool is_negative = take('-');
    if (!is_negative) take('+');
    if (at_ == end_ || !is_digit(*at_)) return false;
    int64_t exponent = 0;
    for (; at_ != end_ && is_digit(*at_); ++at_) {
      if (exponent < kExponentBound) exponent = exponent * 10 + (*at_ - '0');
    }
    decimal_.exponent += is_negative ? -exponent : exponent;
    return true;
  }

  // Zeros wait until a digit behind them makes them significant.
  void add_digit(char digit, bool is_fraction) {
    if (is_fraction) --decimal_.exponent;
    if (digit == '0') {
      if (decimal_.digits != 0) ++waiting_zeros_;
      return;
    }
    for (; waiting_zeros_ > 0; --waiting_zeros_) push('0');
    push(digit);
  }

  void push(char digit) {
    if (decimal_.digit_count == kExactDigitsMax) {
      decimal_.is_exact = false;
      return;
    }
    decimal_.digits = decimal_.digits * 10 + static_cast<uint64_t>(digit - '0');
    ++decimal_.digit_count;
  }

  void finish() {
    decimal_.is_valid = true;
    decimal_.exponent = decimal_.digits == 0 ? 0 : decimal_.exponent + waiting_zeros_;
  }

  const char* at_;
  const char* end_;
  Decimal decimal_;
  int64_t waiting_zeros_ = 0;
};

constexpr std::array<uint64_t, 20> kIntegerPowersOfTen = [] {
  std::array<uint64_t, 20> powers{1};
  for (size_t i = 1; i < powers.size(); ++i) powers[i] = powers[i - 1] * 10;
  return powers;
}();

// All of them are exact doubles.
constexpr std::array<double, 23> kExactPowersOfTen = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                                      1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

std::optional<int64_t> integer_of(const Decimal& decimal) {
  if (!decimal.is_exact || decimal.exponent < 0) return std::nullopt;
  if (decimal.digits == 0) return decimal.is_negative ? std::nullopt : std::optional<int64_t>(0);
  if (decimal.exponent + decimal.digit_count > kExactDigitsMax) return std::nullopt;
  const uint64_t magnitude = decimal.digits * kIntegerPowersOfTen[static_cast<size_t>(decimal.exponent)];
  const uint64_t limit = uint64_t{1} << 63;
  if (magnitude > limit || (magnitude == limit && !decimal.is_negative)) return std::nullopt;
  return static_cast<int64_t>(decimal.is_negative ? uint64_t{0} - magnitude : magnitude);
}

// Up to 15 digits and powers of ten that are doubles themselves: one correctly rounded operation, and any 15 digits survive the
// way to a double and back.
std::optional<double> small_double_of(const Decimal& decimal) {
  constexpr int64_t kPowerMax = kExactPowersOfTen.size() - 1;
  if (!decimal.is_exact || decimal.digit_count > 15 || decimal.exponent > kPowerMax || decimal.exponent < -kPowerMax) return {};
  const auto digits = static_cast<double>(decimal.digits);
  const double magnitude = decimal.exponent < 0 ? digits / kExactPowersOfTen[static_cast<size_t>(-decimal.exponent)]
                                                : digits * kExactPowersOfTen[static_cast<size_t>(decimal.exponent)];
  return decimal.is_negative ? -magnitude : magnitude;
}

// Zero when too small, infinite when too large.
double nearest_double(std::string_view token, const Decimal& decimal) {
  double value = 0;
  const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), value);
  if (error == std::errc()) return value;
  const bool is_large = decimal.exponent + decimal.digit_count > 0;
  const double magnitude = is_large ? std::numeric_limits<double>::infinity() : 0.0;
  return decimal.is_negative ? -magnitude : magnitude;
}

// The most frequent tokens: up to 18 digits and nothing else.
std::optional<int64_t> plain_integer(std::string_view token) {
  const bool is_negative = token.starts_with('-');
  const std::string_view digits = token.substr(is_negative ? 1 : 0);
  if (digits.empty() || digits.size() > 18 || (digits.front() == '0' && (is_negative || digits.size() > 1))) return std::nullopt;
  int64_t value = 0;
  for (const char digit : digits) {
    if (!is_digit(digit)) return std::nullopt;
    value = value * 10 + (digit - '0');
  }
  return is_negative ? -value : value;
}

bool denotes(double value, const Decimal& decimal) {
  char text[kNumberTextBytesMax];
  const char* end = write_double(text, value);
  const Decimal shortest = DecimalScanner({text, static_cast<size_t>(end - text)}).scan();
  return decimal.is_exact && shortest.digits == decimal.digits && shortest.exponent == decimal.exponent;
}

char* append(char* out, std::string_view text) {
  std::memcpy(out, text.data(), text.size());
  return out + text.size();
}

char* append_zeros(char* out, size_t count) {
  std::memset(out, '0', count);
  return out + count;
}

// digits[0] . digits[1...] * 10^exponent, laid out by the rules of ECMAScript's Number::toString.
char* write_digits(char* out, std::string_view digits, int exponent) {
  const int point = exponent + 1;  // digits before the decimal point
  const auto count = static_cast<int>(digits.size());
  if (point > 21 || point < -5) {
    *out++ = digits[0];
    if (count > 1) out = append(append(out, "."), digits.substr(1));
    *out++ = 'e';
    *out++ = exponent < 0 ? '-' : '+';
    return std::to_chars(out, out + 4, std::abs(exponent)).ptr;
  }
  if (point >= count) return append_zeros(append(out, digits), static_cast<size_t>(point - count));
  if (point > 0) {
    const auto whole = static_cast<size_t>(point);
    return append(append(append(out, digits.substr(0, whole)), "."), digits.substr(whole));
  }
  return append(append_zeros(append(out, "0."), static_cast<size_t>(-point)), digits);
}

// Most measurements and prices have few decimals. If an integer of less than 2^53 divided by a power of ten is the number, its
// digits are what reads back the same, and with the least power that does they are the shortest. nullptr: not one of these.
char* write_few_decimals(char* out, double value) {
  constexpr double kScaledMax = 1e15;
  constexpr int kDecimalsMax = 4;
  const double magnitude = std::abs(value);
  if (!(magnitude >= 1e-3)) return nullptr;
  double power = 1;
  for (int decimals = 0; decimals <= kDecimalsMax; ++decimals, power *= 10) {
    const double scaled = std::nearbyint(magnitude * power);
    if (scaled > kScaledMax) return nullptr;
    if (scaled / power != magnitude) continue;
    if (value < 0) *out++ = '-';
    const auto digits = static_cast<uint64_t>(scaled);
    const auto divisor = static_cast<uint64_t>(power);
    out = std::to_chars(out, out + kNumberTextBytesMax, digits / divisor).ptr;
    if (decimals == 0) return out;
    *out++ = '.';
    // With a digit before them that keeps their leading zeros.
    char fraction[kDecimalsMax + 1];
    std::to_chars(fraction, fraction + sizeof fraction, divisor + digits % divisor);
    return std::copy_n(fraction + 1, decimals, out);
  }
  return nullptr;
}

}  // namespace

ParsedNumber parse_number(std::string_view token) {
  if (const auto integer = plain_integer(token)) {
    return {.kind = NumberKind::kInteger, .integer = *integer, .real = static_cast<double>(*integer)};
  }
  const Decimal decimal = DecimalScanner(token).scan();
  if (!decimal.is_valid) return {};
  if (const auto integer = integer_of(decimal)) {
    return {.kind = NumberKind::kInteger, .integer = *integer, .real = static_cast<double>(*integer)};
  }
  if (const auto small = small_double_of(decimal)) return {.kind = NumberKind::kDouble, .real = *small};
  const double nearest = nearest_double(token, decimal);
  if (std::isinf(nearest)) return {.kind = NumberKind::kTooLarge};
  return {.kind = denotes(nearest, decimal) ? NumberKind::kDouble : NumberKind::kText, .real = nearest};
}

std::optional<int64_t> exact_integer(double value) {
  constexpr double kLimit = 9223372036854775808.0;  // 2^63
  if (!(value >= -kLimit && value < kLimit) || value != std::trunc(value)) return std::nullopt;
  if (value == 0 && std::signbit(value)) return std::nullopt;
  return static_cast<int64_t>(value);
}

char* write_double(char* out, double value) {
  if (char* end = write_few_decimals(out, value)) return end;
  // d.ddde+xx: the shortest digits that read back the same.
  char scientific[kNumberTextBytesMax];
  const char* end = std::to_chars(scientific, scientific + sizeof scientific, std::abs(value), std::chars_format::scientific).ptr;
  const char* mark = end;
  while (*--mark != 'e') {
  }
  int exponent = 0;
  std::from_chars(mark[1] == '+' ? mark + 2 : mark + 1, end, exponent);
  size_t count = static_cast<size_t>(mark - scientific);
  if (count > 1) {
    std::memmove(scientific + 1, scientific + 2, count - 2);  // drop the point
    --count;
  }
  if (std::signbit(value)) *out++ = '-';
  if (value == 0) return append(out, "0");
  return write_digits(out, {scientific, count}, exponent);
}

}  // namespace partita
