#pragma once

#include <cstdint>
#include <string_view>

namespace partita::query {

enum class Operation : uint8_t {
  kNone,
  kNot,
  kNegate,
  kPlus,
  kBitNot,
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,
  kModulo,
  kEqual,
  kNotEqual,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kBitAnd,
  kBitOr,
  kBitXor,
  kShiftLeft,
  kShiftRight,
  kShiftRightUnsigned,
  kConcatenate,
};

std::string_view symbol_of(Operation operation);

}  // namespace partita::query
