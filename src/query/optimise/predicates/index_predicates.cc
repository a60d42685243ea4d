#include "query/optimise/predicates/index_predicates.h"

#include "query/execute/evaluator.h"
#include "query/optimise/step_clock.h"
#include "query/plan/like_pattern.h"

#include <algorithm>

namespace partita::query {
namespace {

// The operation that is true where the other one is false. Both are undefined for the same operands.
Operation opposite(Operation operation) {
  switch (operation) {
    case Operation::kEqual: return Operation::kNotEqual;
    case Operation::kNotEqual: return Operation::kEqual;
    case Operation::kLess: return Operation::kGreaterEqual;
    case Operation::kLessEqual: return Operation::kGreater;
    case Operation::kGreater: return Operation::kLessEqual;
    case Operation::kGreaterEqual: return Operation::kLess;
    default: return Operation::kNone;
  }
}

// For exchanged operands.
Operation mirrored(Operation operation) {
  switch (operation) {
    case Operation::kLess: return Operation::kGreater;
    case Operation::kLessEqual: return Operation::kGreaterEqual;
    case Operation::kGreater: return Operation::kLess;
    case Operation::kGreaterEqual: return Operation::kLessEqual;
    default: return operation;
  }
}

// What a test may compute for a document without a value.
constexpr size_t kTestedBytesMax = 1 << 20;

bool is_comparison(Operation operation) { return opposite(operation) != Operation::kNone; }

}  // namespace

Access IndexPredicates::of(const Scalar& given, bool wanted) {
  if (!paths_.use_steps(1)) return Access::all(false);
  const Scalar& scalar = paths_.resolved(given);
  switch (scalar.kind) {
    case ScalarKind::kConstant: {
      Datum value = scalar.constant_value();
      return value.is_bool() && value.boolean() == wanted ? Access::all(true) : Access::none();
    }
    case ScalarKind::kUnary:
      return scalar.operation == Operation::kNot ? of(scalar.operands[0], !wanted) : of_test(scalar, wanted);
    case ScalarKind::kAnd: return wanted ? of_all(scalar, wanted) : of_any(scalar, wanted);
    case ScalarKind::kOr: return wanted ? of_any(scalar, wanted) : of_all(scalar, wanted);
    case ScalarKind::kBinary: return of_binary(scalar, wanted);
    case ScalarKind::kBetween: return of_between(scalar, wanted != scalar.is_negated);
    case ScalarKind::kIn: return of_list(scalar, wanted != scalar.is_negated);
    case ScalarKind::kLike: return of_pattern(scalar, wanted);
    case ScalarKind::kCall: return of_call(scalar, wanted);
    case ScalarKind::kExists: return wanted != scalar.is_negated ? of_rows(*scalar.plan) : Access::all(false);
    case ScalarKind::kSlot:
    case ScalarKind::kMember:
    case ScalarKind::kSubscript: return of_values(scalar, ValueRanges::of_comparison(Operation::kEqual, Datum::boolean(wanted)));
    default: return of_test(scalar, wanted);
  }
}

// The scalar's value is in the ranges, if the scalar is a path.
Access IndexPredicates::of_values(const Scalar& scalar, ValueRanges ranges) const {
  auto place = paths_.find(scalar);
  return place ? of_values(*place, std::move(ranges)) : Access::all(false);
}

Access IndexPredicates::of_values(const Place& place, ValueRanges ranges) const {
  if (ranges.ranges.empty()) return Access::none();
  if (!indexed_.is_indexed(place.path)) return Access::all(false);
  return {.kind = Access::Kind::kValues,
          .is_exact = ranges.is_exact && place.is_exact,
          .path = place.path,
          .ranges = std::move(ranges.ranges),
          .element_of = place.element_of};
}

// Anything else that depends on one path: values of the index can be tested for it, if it needs a value at all.
Access IndexPredicates::of_test(const Scalar& scalar, bool wanted, const ValueRanges& among) const {
  auto single = paths_.of_one_path(scalar);
  if (!single || holds_for_undefined(single->scalar, wanted)) return Access::all(false);
  Access access = of_values(single->place, {among.ranges, false});
  if (access.kind == Access::Kind::kValues) {
    access.tests.push_back({std::make_shared<const Scalar>(std::move(single->scalar)), wanted});
  }
  return access;
}

bool IndexPredicates::holds_for_undefined(const Scalar& scalar, bool wanted) {
  constexpr int64_t kLooksMax = 1024;
  const StepClock clock;
  Random random(0);
  Environment environment{.clock = clock, .random = random, .deadline_steady_us = kLooksMax, .row_bytes_max = kTestedBytesMax};
  Execution execution(environment, 1);
  Datum value = evaluate(scalar, execution);
  return execution.has_failed() || (value.is_bool() && value.boolean() == wanted);
}

Access IndexPredicates::of_all(const Scalar& scalar, bool wanted) {
  return put_together(operands_of(scalar, wanted), query::all_of);
}
Access IndexPredicates::of_any(const Scalar& scalar, bool wanted) {
  return put_together(operands_of(scalar, wanted), query::any_of);
}

std::vector<Access> IndexPredicates::operands_of(const Scalar& scalar, bool wanted) {
  std::vector<Access> operands;
  operands.reserve(scalar.operands.size());
  for (const Scalar& operand : scalar.operands) operands.push_back(of(operand, wanted));
  return operands;
}

// Long lists that are put together again and again use up the steps, too.
Access IndexPredicates::put_together(std::vector<Access> operands, Access (*together)(std::vector<Access>)) const {
  if (operands.size() > 1) {
    for (const Access& operand : operands) paths_.use_steps(operand.ranges.size());
  }
  return paths_.has_steps() ? together(std::move(operands)) : Access::all(false);
}

Access IndexPredicates::of_binary(const Scalar& scalar, bool wanted) {
  if (!is_comparison(scalar.operation)) return of_test(scalar, wanted);
  Operation operation = wanted ? scalar.operation : opposite(scalar.operation);
  if (auto near = distance_predicate(scalar.operands[0], operation, scalar.operands[1])) return of_near(*near);
  if (auto near = distance_predicate(scalar.operands[1], mirrored(operation), scalar.operands[0])) return of_near(*near);
  for (size_t side : {size_t{0}, size_t{1}}) {
    const Scalar& other = scalar.operands[1 - side];
    const Operation directed = side == 0 ? operation : mirrored(operation);
    if (auto rows = of_row_count(scalar.operands[side], directed, other)) return std::move(*rows);
    auto place = other.is_constant() ? paths_.find(scalar.operands[side]) : std::nullopt;
    if (!place) continue;
    Access access = of_values(*place, ValueRanges::of_comparison(directed, other.constant_value()));
    return directed == Operation::kEqual ? both_of(std::move(access), of_equal_parts(*place, other.constant_value())) : access;
  }
  return of_test(scalar, wanted);
}

// The shape at a path has a point near another shape.
Access IndexPredicates::of_near(const SpatialPredicate& near) const {
  auto place = paths_.find(*near.path);
  if (!place) return Access::all(false);
  Access access = access_near(near, place->path, indexed_);
  return access.is_all() ? of_values(*place, {{key_forms_of(ValueType::kObject)}, false}) : access;
}

// False when one of the two comparisons is, whatever the other one says.
Access IndexPredicates::of_between(const Scalar& scalar, bool is_inside) {
  auto near = is_inside ? distance_predicate(scalar.operands[0], Operation::kLessEqual, scalar.operands[2]) : std::nullopt;
  if (near) return of_near(*near);
  auto place = paths_.find(scalar.operands[0]);
  if (!place || !scalar.operands[1].is_constant() || !scalar.operands[2].is_constant()) {
    return of_test(scalar, is_inside != scalar.is_negated);
  }
  Datum least = scalar.operands[1].constant_value();
  Datum most = scalar.operands[2].constant_value();
  if (is_inside) {
    return of_values(*place, intersected(ValueRanges::of_comparison(Operation::kGreaterEqual, least),
                                         ValueRanges::of_comparison(Operation::kLessEqual, most)));
  }
  return of_values(
      *place, united(ValueRanges::of_comparison(Operation::kLess, least), ValueRanges::of_comparison(Operation::kGreater, most)));
}

Access IndexPredicates::of_list(const Scalar& scalar, bool is_inside) {
  auto place = paths_.find(scalar.operands[0]);
  auto items = std::span(scalar.operands).subspan(1);
  if (!place || !std::ranges::all_of(items, &Scalar::is_constant)) return of_test(scalar, is_inside != scalar.is_negated);
  std::vector<Datum> values;
  for (const Scalar& item : items) values.push_back(item.constant_value());
  return of_members(*place, values, is_inside);
}

Access IndexPredicates::of_members(const Place& place, std::span<const Datum> values, bool is_inside) const {
  ValueRanges members;
  for (const Datum& value : values) {
    ValueRanges one = ValueRanges::of_comparison(Operation::kEqual, value);
    std::ranges::move(one.ranges, std::back_inserter(members.ranges));
    members.is_exact = members.is_exact && one.is_exact;
  }
  normalise(members.ranges);
  return of_values(place, is_inside ? std::move(members) : without(ValueRanges::defined(), members));
}

Access IndexPredicates::of_pattern(const Scalar& scalar, bool wanted) {
  ValueRanges strings = ValueRanges::of_type(ValueType::kString);
  auto place = paths_.find(scalar.operands[0]);
  if (!place || !scalar.like) return of_test(scalar, wanted, strings);
  ValueRanges matching = ValueRanges::of_prefix(scalar.like->prefix());
  bool is_all = scalar.like->is_prefix();
  if (auto literal = scalar.like->literal()) {
    matching = ValueRanges::of_comparison(Operation::kEqual, Datum::string(*literal));
    is_all = true;
  }
  bool is_match = wanted != scalar.is_negated;
  if (!is_all) return of_test(scalar, wanted, is_match ? matching : strings);
  return of_values(*place, is_match ? matching : without(strings, matching));
}

Access IndexPredicates::of_call(const Scalar& scalar, bool wanted) {
  std::string_view name = scalar.function->name;
  if (auto meeting = wanted ? meeting_predicate(scalar) : std::nullopt) return of_near(*meeting);
  if (name.starts_with("FULLTEXTCONTAINS")) return of_words(scalar, wanted);
  if (name == "ARRAY_CONTAINS" || name == "_TRY_ARRAY_CONTAINS") return of_array(scalar, wanted);
  if (name == "ARRAY_CONTAINS_ANY" || name == "ARRAY_CONTAINS_ALL") return of_elements(scalar, wanted);
  if (name == "STARTSWITH" || name == "STRINGEQUALS") return of_string_comparison(scalar, wanted);
  constexpr std::string_view kOfStrings[] = {"CONTAINS", "ENDSWITH", "REGEXMATCH"};
  if (std::ranges::find(kOfStrings, name) != std::end(kOfStrings)) {
    return of_test(scalar, wanted, ValueRanges::of_type(ValueType::kString));
  }
  if (auto types = types_of_check(name); types && wanted) {
    Access access = of_values(scalar.operands[0], std::move(*types));
    if (!access.is_all()) return access;
  }
  return of_test(scalar, wanted);
}

// The types for which a type check is true. It is false also for undefined, which an index does not have.
std::optional<ValueRanges> IndexPredicates::types_of_check(std::string_view name) {
  if (name == "IS_DEFINED") return ValueRanges::defined();
  if (name == "IS_NULL") return ValueRanges::of_type(ValueType::kNull);
  if (name == "IS_BOOL") return ValueRanges::of_type(ValueType::kBool);
  if (name == "IS_NUMBER" || name == "IS_FINITE_NUMBER") return ValueRanges::of_type(ValueType::kNumber);
  if (name == "IS_STRING") return ValueRanges::of_type(ValueType::kString);
  if (name == "IS_ARRAY") return ValueRanges::of_type(ValueType::kArray);
  if (name == "IS_OBJECT") return ValueRanges::of_type(ValueType::kObject);
  if (name == "IS_PRIMITIVE") {
    ValueRanges types = ValueRanges::defined();
    types.ranges[0].to = key_forms_of(ValueType::kString).to;
    return types;
  }
  return std::nullopt;
}

// STARTSWITH(path, constant) and STRINGEQUALS(path, constant), also with a third argument that says to mind the case.
Access IndexPredicates::of_string_comparison(const Scalar& scalar, bool wanted) {
  ValueRanges strings = ValueRanges::of_type(ValueType::kString);
  auto place = paths_.find(scalar.operands[0]);
  bool minds_case =
      scalar.operands.size() == 2 || (scalar.operands[2].is_constant() && scalar.operands[2].constant_value().is_false());
  Datum text = scalar.operands[1].is_constant() ? scalar.operands[1].constant_value() : Datum();
  if (!place || !minds_case || !text.is_string()) return of_test(scalar, wanted, strings);
  ValueRanges matching = scalar.function->name == "STARTSWITH" ? ValueRanges::of_prefix(text.string())
                                                               : ValueRanges::of_comparison(Operation::kEqual, text);
  return of_values(*place, wanted ? matching : without(strings, matching));
}

}  // namespace partita::query
