#include "query/execute/evaluator.h"

#include "query/execute/plan_cursor.h"
#include "query/plan/constant_set.h"
#include "query/plan/like_pattern.h"
#include "query/plan/plan.h"

#include <fmt/format.h>

#include <array>
#include <optional>
#include <vector>

namespace partita::query {
namespace {

// Arguments of most calls fit here.
constexpr size_t kInlineArguments = 4;

bool is_constructor(const Scalar& scalar) { return scalar.kind == ScalarKind::kArray || scalar.kind == ScalarKind::kObject; }

// Writes an array or object; undefined members are left out.
void write_constructor(const Scalar& scalar, StoredWriter& out, Execution& execution) {
  bool is_object = scalar.kind == ScalarKind::kObject;
  is_object ? out.begin_object() : out.begin_array();
  for (size_t i = 0; i < scalar.operands.size(); ++i) {
    const Scalar& operand = scalar.operands[i];
    if (is_constructor(operand)) {
      if (is_object) out.key(scalar.names[i]);
      write_constructor(operand, out, execution);
      continue;
    }
    ArenaScope scope(execution.arena());
    Datum value = evaluate(operand, execution);
    if (value.is_undefined()) continue;
    if (is_object) out.key(scalar.names[i]);
    value.write_to(out);
  }
  is_object ? out.end_object() : out.end_array();
}

Datum construct(const Scalar& scalar, Execution& execution) {
  WriterScope out(execution);
  write_constructor(scalar, *out, execution);
  return execution.functions().stored(*out);
}

// One false operand decides an AND, one true one an OR; without it, an operand that is not boolean makes the result undefined.
Datum connect(const Scalar& scalar, bool decisive, Execution& execution) {
  bool is_known = true;
  for (const Scalar& operand : scalar.operands) {
    Datum value = evaluate(operand, execution);
    if (!value.is_bool()) {
      is_known = false;
    } else if (value.boolean() == decisive) {
      return value;
    }
  }
  return is_known ? Datum::boolean(!decisive) : Datum();
}

Datum subscript(const Scalar& scalar, Execution& execution) {
  Datum owner = evaluate(scalar.operands[0], execution);
  Datum index = evaluate(scalar.operands[1], execution);
  if (index.is_string()) return owner.member(index.string());
  auto position = index.integer();
  return position ? owner.element(*position) : Datum();
}

Datum binary(const Scalar& scalar, Execution& execution) {
  std::array<Datum, 2> operands = {evaluate(scalar.operands[0], execution), evaluate(scalar.operands[1], execution)};
  if (scalar.operation == Operation::kConcatenate) return execution.functions().concatenation(operands);
  return apply_binary(scalar.operation, operands[0], operands[1]);
}

Datum between(const Scalar& scalar, Execution& execution) {
  Datum value = evaluate(scalar.operands[0], execution);
  Datum is_above = apply_binary(Operation::kGreaterEqual, value, evaluate(scalar.operands[1], execution));
  Datum is_below = apply_binary(Operation::kLessEqual, value, evaluate(scalar.operands[2], execution));
  if (is_above.is_false() || is_below.is_false()) return Datum::boolean(scalar.is_negated);
  return is_above.is_bool() && is_below.is_bool() ? Datum::boolean(!scalar.is_negated) : Datum();
}

Datum in(const Scalar& scalar, Execution& execution) {
  Datum value = evaluate(scalar.operands[0], execution);
  if (value.is_undefined()) return {};
  bool is_found = scalar.set != nullptr && scalar.set->contains(value);
  for (size_t i = 1; scalar.set == nullptr && !is_found && i < scalar.operands.size(); ++i) {
    is_found = equal(value, evaluate(scalar.operands[i], execution));
  }
  return Datum::boolean(is_found != scalar.is_negated);
}

Datum like(const Scalar& scalar, Execution& execution) {
  Datum value = evaluate(scalar.operands[0], execution);
  if (!value.is_string()) return {};
  const auto matches = [&](const LikePattern& pattern) {
    const auto is_match = pattern.matches(value.string(), [&] { return execution.functions().keep_going(); });
    return is_match ? Datum::boolean(*is_match != scalar.is_negated) : Datum();
  };
  if (scalar.like) return matches(*scalar.like);
  Datum pattern = evaluate(scalar.operands[1], execution);
  Datum escape = scalar.operands.size() > 2 ? evaluate(scalar.operands[2], execution) : Datum::string("");
  if (!pattern.is_string() || !escape.is_string()) return {};
  auto compiled =
      LikePattern::compile(pattern.string(), scalar.operands.size() > 2 ? std::optional(escape.string()) : std::nullopt);
  return compiled ? matches(*compiled) : Datum();
}

// Evaluates all operands into `values`. False when one is undefined and that decides the result.
bool evaluate_arguments(const Scalar& scalar, bool takes_undefined, std::span<Datum> values, Execution& execution) {
  for (size_t i = 0; i < scalar.operands.size(); ++i) {
    values[i] = evaluate(scalar.operands[i], execution);
    if (values[i].is_undefined() && !takes_undefined) return false;
  }
  return true;
}

Datum call(const Scalar& scalar, Execution& execution) {
  const Function& function = *scalar.function;
  std::array<Datum, kInlineArguments> few;
  std::vector<Datum> many;
  std::span<Datum> values(few.data(), std::min(scalar.operands.size(), few.size()));
  if (scalar.operands.size() > few.size()) {
    many.resize(scalar.operands.size());
    values = many;
  }
  if (!evaluate_arguments(scalar, function.takes_undefined, values, execution) || !execution.keep_going()) return {};
  return function.body(values, execution.functions());
}

Datum user_call(const Scalar& scalar, Execution& execution) {
  std::vector<Datum> values(scalar.operands.size());
  evaluate_arguments(scalar, true, values, execution);
  if (execution.user_functions() == nullptr) {
    execution.fail(ErrorCode::kInvalidQuery, fmt::format("The user-defined function '{}' was not found.", scalar.name));
    return {};
  }
  StoredWriter result;
  auto is_defined = execution.user_functions()->call(scalar.name, values, result);
  if (!is_defined) execution.fail(is_defined.error());
  return is_defined && *is_defined ? execution.functions().stored(result) : Datum();
}

Datum exists(const Scalar& scalar, Execution& execution) {
  ArenaScope scope(execution.arena());
  PlanCursor rows(*scalar.plan, execution, nullptr);
  Datum row;
  bool has_row = rows.next(row) == PlanCursor::Step::kRow;
  return Datum::boolean(has_row != scalar.is_negated);
}

Datum array_of(const Scalar& scalar, Execution& execution) {
  WriterScope out(execution);
  (*out).begin_array();
  {
    ArenaScope scope(execution.arena());
    PlanCursor rows(*scalar.plan, execution, nullptr);
    size_t bytes = 0;
    for (Datum row; rows.next(row) == PlanCursor::Step::kRow;) {
      row.write_to(*out);
      bytes += sizeof(Datum) + row.payload_bytes();
      if (!execution.arena().has_room_for(bytes)) break;
    }
  }
  (*out).end_array();
  return execution.functions().stored(*out);
}

// The row that a sub-query stands for. Cursors reuse the memory of one row for the next, so what is kept is copied.
Datum row_of(const Scalar& scalar, Execution& execution) {
  KeptDatum kept;
  {
    ArenaScope scope(execution.arena());
    PlanCursor rows(*scalar.plan, execution, nullptr);
    size_t count = 0;
    for (Datum row; rows.next(row) == PlanCursor::Step::kRow; ++count) {
      if (count == 1 && scalar.kind == ScalarKind::kRowOf) {
        execution.fail(ErrorCode::kInvalidQuery, "The cardinality of a scalar subquery result set cannot be greater than one.");
        return {};
      }
      kept = KeptDatum(row);
      if (scalar.kind == ScalarKind::kFirstOf) break;
    }
  }
  return execution.functions().copy(kept.value());
}

}  // namespace

Datum evaluate(const Scalar& scalar, Execution& execution) {
  switch (scalar.kind) {
    case ScalarKind::kConstant: return scalar.constant_value();
    case ScalarKind::kSlot: return execution.slot(scalar.slot);
    case ScalarKind::kMember: return evaluate(scalar.operands[0], execution).member(scalar.name);
    case ScalarKind::kSubscript: return subscript(scalar, execution);
    case ScalarKind::kArray:
    case ScalarKind::kObject: return construct(scalar, execution);
    case ScalarKind::kUnary: return apply_unary(scalar.operation, evaluate(scalar.operands[0], execution));
    case ScalarKind::kBinary: return binary(scalar, execution);
    case ScalarKind::kAnd: return connect(scalar, false, execution);
    case ScalarKind::kOr: return connect(scalar, true, execution);
    case ScalarKind::kConditional:
      return evaluate(scalar.operands[evaluate(scalar.operands[0], execution).is_true() ? 1 : 2], execution);
    case ScalarKind::kCoalesce: {
      Datum value = evaluate(scalar.operands[0], execution);
      return value.is_undefined() ? evaluate(scalar.operands[1], execution) : value;
    }
    case ScalarKind::kBetween: return between(scalar, execution);
    case ScalarKind::kIn: return in(scalar, execution);
    case ScalarKind::kLike: return like(scalar, execution);
    case ScalarKind::kCall: return call(scalar, execution);
    case ScalarKind::kUserCall: return user_call(scalar, execution);
    case ScalarKind::kExists: return exists(scalar, execution);
    case ScalarKind::kArrayOf: return array_of(scalar, execution);
    case ScalarKind::kRowOf:
    case ScalarKind::kFirstOf:
    case ScalarKind::kLastOf: return row_of(scalar, execution);
  }
  return {};
}

}  // namespace partita::query
