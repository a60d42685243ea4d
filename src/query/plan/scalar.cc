#include "query/plan/scalar.h"

#include "document/json/json.h"
#include "query/plan/plan.h"
#include "query/value/text.h"

#include <fmt/format.h>

#include <iterator>

namespace partita::query {
namespace {

void append_list(std::string& out, const Scalar& scalar, size_t first, std::string_view separator) {
  for (size_t i = first; i < scalar.operands.size(); ++i) {
    if (i > first) out += separator;
    append_text(out, scalar.operands[i]);
  }
}

void append_object(std::string& out, const Scalar& scalar) {
  out += '{';
  for (size_t i = 0; i < scalar.operands.size(); ++i) {
    if (i > 0) out += ", ";
    append_quoted(out, scalar.names[i]);
    out += ": ";
    append_text(out, scalar.operands[i]);
  }
  out += '}';
}

// (a between b, c), (a not in b, c)
void append_test(std::string& out, const Scalar& scalar, std::string_view name) {
  out += '(';
  append_text(out, scalar.operands[0]);
  out += scalar.is_negated ? " not " : " ";
  out += name;
  out += ' ';
  append_list(out, scalar, 1, ", ");
  out += ')';
}

void append_call(std::string& out, std::string_view name, const Scalar& scalar) {
  out += name;
  out += '(';
  append_list(out, scalar, 0, ", ");
  out += ')';
}

void append_plan(std::string& out, const Scalar& scalar, std::string_view name) {
  if (scalar.is_negated) out += "not ";
  out += name;
  out += "(";
  append_text(out, *scalar.plan, " | ");
  out += ')';
}

}  // namespace

Scalar::Scalar() = default;
Scalar::Scalar(ScalarKind kind_of) : kind(kind_of) {}
Scalar::~Scalar() = default;
Scalar::Scalar(Scalar&&) noexcept = default;
Scalar& Scalar::operator=(Scalar&&) noexcept = default;

Scalar Scalar::of_constant(std::string stored) {
  Scalar scalar(ScalarKind::kConstant);
  scalar.constant = std::move(stored);
  return scalar;
}

Scalar Scalar::of_slot(uint32_t slot) {
  Scalar scalar(ScalarKind::kSlot);
  scalar.slot = slot;
  return scalar;
}

void append_text(std::string& out, const Scalar& scalar) {
  switch (scalar.kind) {
    case ScalarKind::kConstant:
      if (scalar.constant.empty())
        out += "undefined";
      else
        append_json(out, Value::view(scalar.constant));
      break;
    case ScalarKind::kSlot: fmt::format_to(std::back_inserter(out), "${}", scalar.slot); break;
    case ScalarKind::kMember:
      append_text(out, scalar.operands[0]);
      out += '[';
      append_quoted(out, scalar.name);
      out += ']';
      break;
    case ScalarKind::kSubscript:
      append_text(out, scalar.operands[0]);
      out += '[';
      append_text(out, scalar.operands[1]);
      out += ']';
      break;
    case ScalarKind::kArray: out += '[', append_list(out, scalar, 0, ", "), out += ']'; break;
    case ScalarKind::kObject: append_object(out, scalar); break;
    case ScalarKind::kUnary:
      fmt::format_to(std::back_inserter(out), "({} ", symbol_of(scalar.operation));
      append_text(out, scalar.operands[0]);
      out += ')';
      break;
    case ScalarKind::kBinary:
      out += '(', append_list(out, scalar, 0, fmt::format(" {} ", symbol_of(scalar.operation))), out += ')';
      break;
    case ScalarKind::kAnd: out += '(', append_list(out, scalar, 0, " and "), out += ')'; break;
    case ScalarKind::kOr: out += '(', append_list(out, scalar, 0, " or "), out += ')'; break;
    case ScalarKind::kConditional: append_call(out, "if", scalar); break;
    case ScalarKind::kCoalesce: out += '(', append_list(out, scalar, 0, " ?? "), out += ')'; break;
    case ScalarKind::kBetween: append_test(out, scalar, "between"); break;
    case ScalarKind::kIn: append_test(out, scalar, "in"); break;
    case ScalarKind::kLike: append_test(out, scalar, "like"); break;
    case ScalarKind::kCall: append_call(out, scalar.function->name, scalar); break;
    case ScalarKind::kUserCall: append_call(out, "user." + scalar.name, scalar); break;
    case ScalarKind::kRowOf: append_plan(out, scalar, "row"); break;
    case ScalarKind::kExists: append_plan(out, scalar, "exists"); break;
    case ScalarKind::kArrayOf: append_plan(out, scalar, "array"); break;
    case ScalarKind::kFirstOf: append_plan(out, scalar, "first"); break;
    case ScalarKind::kLastOf: append_plan(out, scalar, "last"); break;
  }
}

std::string to_text(const Scalar& scalar) {
  std::string out;
  append_text(out, scalar);
  return out;
}

}  // namespace partita::query
