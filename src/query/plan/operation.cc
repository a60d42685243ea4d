#include "query/plan/operation.h"

namespace partita::query {

std::string_view symbol_of(Operation operation) {
  switch (operation) {
    case Operation::kNone: return "";
    case Operation::kNot: return "NOT";
    case Operation::kNegate: return "-";
    case Operation::kPlus: return "+";
    case Operation::kBitNot: return "~";
    case Operation::kAdd: return "+";
    case Operation::kSubtract: return "-";
    case Operation::kMultiply: return "*";
    case Operation::kDivide: return "/";
    case Operation::kModulo: return "%";
    case Operation::kEqual: return "=";
    case Operation::kNotEqual: return "!=";
    case Operation::kLess: return "<";
    case Operation::kLessEqual: return "<=";
    case Operation::kGreater: return ">";
    case Operation::kGreaterEqual: return ">=";
    case Operation::kBitAnd: return "&";
    case Operation::kBitOr: return "|";
    case Operation::kBitXor: return "^";
    case Operation::kShiftLeft: return "<<";
    case Operation::kShiftRight: return ">>";
    case Operation::kShiftRightUnsigned: return ">>>";
    case Operation::kConcatenate: return "||";
  }
  return "";
}

}  // namespace partita::query
