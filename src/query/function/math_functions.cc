#include "query/function/groups.h"

#include <cmath>
#include <numbers>

namespace partita::query {
namespace {

using UnaryMath = double (*)(double);
using BinaryMath = double (*)(double, double);

template <UnaryMath Compute>
Datum unary(Arguments arguments, FunctionContext&) {
  return arguments[0].is_number() ? Datum::number(Compute(arguments[0].number())) : Datum();
}

template <BinaryMath Compute>
Datum binary(Arguments arguments, FunctionContext&) {
  if (!arguments[0].is_number() || !arguments[1].is_number()) return {};
  return Datum::number(Compute(arguments[0].number(), arguments[1].number()));
}

double cotangent(double x) { return 1 / std::tan(x); }
double degrees(double radians) { return radians * 180 / std::numbers::pi; }
double radians(double degrees_given) { return degrees_given * std::numbers::pi / 180; }
double sign(double x) { return x > 0 ? 1 : x < 0 ? -1 : 0; }
double square(double x) { return x * x; }
// The quotient of logarithms would be inexact where the library has an exact answer.
double log_to_base(double x, double base) {
  if (base == 10) return std::log10(x);
  return base == 2 ? std::log2(x) : std::log(x) / std::log(base);
}

Datum logarithm(Arguments arguments, FunctionContext& context) {
  return arguments.size() == 1 ? unary<std::log>(arguments, context) : binary<log_to_base>(arguments, context);
}

// The multiple of the size at or below the number. 37.7 rather than 37.7000...03: divide by the inverse when that is whole.
double bin(double x, double size) {
  double bins = std::floor(x / size);
  double inverse = std::round(1 / size);
  bool is_fraction = std::abs(size) < 1 && std::abs(inverse * size - 1) < 1e-12;
  return is_fraction ? bins / inverse : bins * size;
}

Datum number_bin(Arguments arguments, FunctionContext&) {
  if (!arguments[0].is_number()) return {};
  if (arguments.size() == 1) return Datum::number(std::floor(arguments[0].number()));
  if (!arguments[1].is_number() || arguments[1].number() == 0) return {};
  return Datum::number(bin(arguments[0].number(), arguments[1].number()));
}

Datum pi(Arguments, FunctionContext&) { return Datum::number(std::numbers::pi); }

Datum random_number(Arguments, FunctionContext& context) {
  return Datum::number(static_cast<double>(context.random().next() >> 11) * 0x1p-53);
}

constexpr Function kFunctions[] = {
    {"ABS", 1, 1, unary<std::fabs>},
    {"ACOS", 1, 1, unary<std::acos>},
    {"ASIN", 1, 1, unary<std::asin>},
    {"ATAN", 1, 1, unary<std::atan>},
    {"ATN2", 2, 2, binary<std::atan2>},
    {"CEILING", 1, 1, unary<std::ceil>},
    {"COS", 1, 1, unary<std::cos>},
    {"COT", 1, 1, unary<cotangent>},
    {"DEGREES", 1, 1, unary<degrees>},
    {"EXP", 1, 1, unary<std::exp>},
    {"FLOOR", 1, 1, unary<std::floor>},
    {"LOG", 1, 2, logarithm},
    {"LOG10", 1, 1, unary<std::log10>},
    {"NUMBERBIN", 1, 2, number_bin},
    {"PI", 0, 0, pi},
    {"POWER", 2, 2, binary<std::pow>},
    {"RADIANS", 1, 1, unary<radians>},
    {.name = "RAND", .arguments_min = 0, .arguments_max = 0, .body = random_number, .is_constant_foldable = false},
    {"ROUND", 1, 1, unary<std::round>},
    {"SIGN", 1, 1, unary<sign>},
    {"SIN", 1, 1, unary<std::sin>},
    {"SQRT", 1, 1, unary<std::sqrt>},
    {"SQUARE", 1, 1, unary<square>},
    {"TAN", 1, 1, unary<std::tan>},
    {"TRUNC", 1, 1, unary<std::trunc>},
};

}  // namespace

std::span<const Function> math_functions() { return kFunctions; }

}  // namespace partita::query
