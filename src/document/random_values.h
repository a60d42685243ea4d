#pragma once

#include "document/stored/stored_writer.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

// For tests: random values of every kind, many of them equal or next to each other.
namespace partita::random_values {

using Random = std::mt19937_64;

// Few distinct characters, so that shared prefixes, zero bytes and equal strings are common.
inline std::string text(Random& random, bool has_zeros = true) {
  const std::array<std::string_view, 6> pieces = {std::string_view("\0", 1), "\x01", "a", "b", "\x7F", "\u00e9"};
  std::string text;
  for (size_t i = random() % 5; i > 0; --i) text += pieces[has_zeros ? random() % 6 : 1 + random() % 5];
  return text;
}

inline double any_double(Random& random) {
  switch (random() % 4) {
    case 0: return std::bit_cast<double>(random());
    case 1: return static_cast<double>(static_cast<int64_t>(random()) >> random() % 64);
    case 2: return static_cast<double>(random() % 2000) / 100 - 10;
    default: {
      const std::array<double, 8> special = {0.0, -0.0, INFINITY, -INFINITY, NAN, 5e-324, 1.7976931348623157e308, 0x1p53};
      return special[random() % special.size()];
    }
  }
}

// A decimal within a few units in its last place of the double, or one of the limits.
inline Decimal128 decimal_near(Random& random, double value) {
  if (!std::isfinite(value)) return *Decimal128::parse(std::isnan(value) ? "NaN" : value < 0 ? "-inf" : "inf");
  char printed[64];
  std::snprintf(printed, sizeof printed, "%.*e", static_cast<int>(random() % 34), value);
  const Decimal128 near = *Decimal128::parse(printed);
  DecimalNumber number = near.number();
  if (random() % 4 == 0) number.coefficient += 1;
  if (random() % 4 == 0 && number.coefficient > 0) number.coefficient -= 1;
  if (random() % 16 == 0) number.exponent = static_cast<int>(random() % 12000) - 6000;
  return Decimal128::fitting(number).value_or(near);
}

inline int64_t integer_near(Random& random, double value) {
  if (!(std::abs(value) < 0x1p62)) return std::signbit(value) ? INT64_MIN : INT64_MAX;
  return static_cast<int64_t>(value) + static_cast<int64_t>(random() % 3) - 1;
}

// Of any kind, at this double or next to it.
inline void write_number(Random& random, double near, StoredWriter& out) {
  switch (random() % 5) {
    case 0: return out.int32(static_cast<int32_t>(integer_near(random, near)));
    case 1: return out.int64(integer_near(random, near));
    case 2: return out.float64(near);
    case 3: return std::isfinite(near) ? out.number(near) : out.float64(near);
    default: return out.decimal(decimal_near(random, near));
  }
}

inline void write_value(Random& random, StoredWriter& out, int depth = 0) {
  const uint64_t kind = random() % (depth < 3 ? 16 : 14);
  switch (kind) {
    case 0: return out.null();
    case 1: return out.boolean(random() % 2 == 0);
    case 2:
    case 3: return write_number(random, any_double(random), out);
    case 4: return out.string(text(random));
    case 5: return out.symbol(text(random));
    case 6: return out.binary(static_cast<uint8_t>(random() % 3), text(random));
    case 7: return out.date_time(static_cast<int64_t>(random()) >> random() % 64);
    case 8: return out.object_id(std::string(11, 'x') + static_cast<char>(random() % 3));
    case 9: return out.regular_expression(text(random, false), text(random, false));
    case 10: return out.timestamp(random() >> random() % 64);
    case 11: return out.min_key();
    case 12: return out.max_key();
    case 13: return out.code(text(random));
    case 14: {
      out.begin_array();
      for (size_t i = random() % 4; i > 0; --i) write_value(random, out, depth + 1);
      return out.end_array();
    }
    default: {
      out.begin_object();
      for (size_t i = random() % 4; i > 0; --i) {
        out.key(text(random));
        write_value(random, out, depth + 1);
      }
      return out.end_object();
    }
  }
}

}  // namespace partita::random_values
