#include "query/execute/evaluator.h"

#include <cmath>
#include <cstdint>

namespace partita::query {
namespace {

// As in JavaScript: truncated, then modulo 2^32.
int32_t to_int32(double value) {
  double wrapped = std::fmod(std::trunc(value), 0x1p32);
  return static_cast<int32_t>(static_cast<uint32_t>(static_cast<int64_t>(wrapped)));
}

uint32_t shift_count(double value) { return static_cast<uint32_t>(to_int32(value)) & 31; }

double shift_left(double left, double right) {
  return static_cast<int32_t>(static_cast<uint32_t>(to_int32(left)) << shift_count(right));
}

Datum arithmetic(Operation operation, double left, double right) {
  switch (operation) {
    case Operation::kAdd: return Datum::number(left + right);
    case Operation::kSubtract: return Datum::number(left - right);
    case Operation::kMultiply: return Datum::number(left * right);
    case Operation::kDivide: return Datum::number(left / right);
    case Operation::kModulo: return Datum::number(std::fmod(left, right));
    case Operation::kBitAnd: return Datum::number(to_int32(left) & to_int32(right));
    case Operation::kBitOr: return Datum::number(to_int32(left) | to_int32(right));
    case Operation::kBitXor: return Datum::number(to_int32(left) ^ to_int32(right));
    case Operation::kShiftLeft: return Datum::number(shift_left(left, right));
    case Operation::kShiftRight: return Datum::number(to_int32(left) >> shift_count(right));
    case Operation::kShiftRightUnsigned: return Datum::number(static_cast<uint32_t>(to_int32(left)) >> shift_count(right));
    default: return {};
  }
}

// Values of different types, and arrays and objects, have no order that a filter could ask for.
Datum relation(Operation operation, const Datum& left, const Datum& right) {
  if (left.type() != right.type() || !left.is_primitive()) return {};
  std::strong_ordering order = compare(left, right);
  switch (operation) {
    case Operation::kLess: return Datum::boolean(order < 0);
    case Operation::kLessEqual: return Datum::boolean(order <= 0);
    case Operation::kGreater: return Datum::boolean(order > 0);
    case Operation::kGreaterEqual: return Datum::boolean(order >= 0);
    default: return {};
  }
}

}  // namespace

Datum apply_unary(Operation operation, const Datum& operand) {
  if (operation == Operation::kNot) return operand.is_bool() ? Datum::boolean(!operand.boolean()) : Datum();
  if (!operand.is_number()) return {};
  switch (operation) {
    case Operation::kNegate: return Datum::number(-operand.number());
    case Operation::kPlus: return operand;
    case Operation::kBitNot: return Datum::number(~to_int32(operand.number()));
    default: return {};
  }
}

Datum apply_binary(Operation operation, const Datum& left, const Datum& right) {
  switch (operation) {
    case Operation::kEqual:
    case Operation::kNotEqual:
      if (left.is_undefined() || right.is_undefined()) return {};
      return Datum::boolean(equal(left, right) == (operation == Operation::kEqual));
    case Operation::kLess:
    case Operation::kLessEqual:
    case Operation::kGreater:
    case Operation::kGreaterEqual: return relation(operation, left, right);
    default: break;
  }
  return left.is_number() && right.is_number() ? arithmetic(operation, left.number(), right.number()) : Datum();
}

}  // namespace partita::query
