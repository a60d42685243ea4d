#include "query/function/groups.h"

#include <limits>
#include <optional>

// Arithmetic on 64-bit integers. Anything else, and every result that does not fit, is undefined.
namespace partita::query {
namespace {

using Integer = std::optional<int64_t>;

template <Integer (*Compute)(int64_t, int64_t)>
Datum binary(Arguments arguments, FunctionContext& context) {
  Integer left = arguments[0].integer();
  Integer right = arguments[1].integer();
  if (!left || !right) return {};
  Integer result = Compute(*left, *right);
  return result ? context.integer(*result) : Datum();
}

Integer add(int64_t left, int64_t right) {
  int64_t result = 0;
  return __builtin_add_overflow(left, right, &result) ? Integer() : result;
}

Integer subtract(int64_t left, int64_t right) {
  int64_t result = 0;
  return __builtin_sub_overflow(left, right, &result) ? Integer() : result;
}

Integer multiply(int64_t left, int64_t right) {
  int64_t result = 0;
  return __builtin_mul_overflow(left, right, &result) ? Integer() : result;
}

bool can_divide(int64_t left, int64_t right) {
  return right != 0 && !(right == -1 && left == std::numeric_limits<int64_t>::min());
}

Integer divide(int64_t left, int64_t right) { return can_divide(left, right) ? Integer(left / right) : Integer(); }
Integer modulo(int64_t left, int64_t right) { return can_divide(left, right) ? Integer(left % right) : Integer(); }
Integer bit_and(int64_t left, int64_t right) { return left & right; }
Integer bit_or(int64_t left, int64_t right) { return left | right; }
Integer bit_xor(int64_t left, int64_t right) { return left ^ right; }

Integer shift_left(int64_t value, int64_t by) {
  if (by < 0) return {};
  return by >= 64 ? 0 : static_cast<int64_t>(static_cast<uint64_t>(value) << by);
}

Integer shift_right(int64_t value, int64_t by) {
  if (by < 0) return {};
  return value >> (by >= 64 ? 63 : by);
}

Datum bit_not(Arguments arguments, FunctionContext& context) {
  Integer value = arguments[0].integer();
  return value ? context.integer(~*value) : Datum();
}

constexpr Function kFunctions[] = {
    {"INTADD", 2, 2, binary<add>},
    {"INTSUB", 2, 2, binary<subtract>},
    {"INTMUL", 2, 2, binary<multiply>},
    {"INTDIV", 2, 2, binary<divide>},
    {"INTMOD", 2, 2, binary<modulo>},
    {"INTBITAND", 2, 2, binary<bit_and>},
    {"INTBITOR", 2, 2, binary<bit_or>},
    {"INTBITXOR", 2, 2, binary<bit_xor>},
    {"INTBITNOT", 1, 1, bit_not},
    {"INTBITLEFTSHIFT", 2, 2, binary<shift_left>},
    {"INTBITRIGHTSHIFT", 2, 2, binary<shift_right>},
    {"INTBITWISEAND", 2, 2, binary<bit_and>},
    {"INTBITWISEOR", 2, 2, binary<bit_or>},
    {"INTBITWISEXOR", 2, 2, binary<bit_xor>},
    {"INTBITWISENOT", 1, 1, bit_not},
    {"INTBITWISELEFTSHIFT", 2, 2, binary<shift_left>},
    {"INTBITWISERIGHTSHIFT", 2, 2, binary<shift_right>},
};

}  // namespace

std::span<const Function> integer_functions() { return kFunctions; }

}  // namespace partita::query
