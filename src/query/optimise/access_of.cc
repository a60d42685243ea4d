#include "query/execute/evaluator.h"
#include "query/optimise/access.h"
#include "query/optimise/path_expressions.h"
#include "query/optimise/spatial_demands.h"
#include "query/optimise/value_ranges.h"
#include "query/plan/like_pattern.h"
#include "search/words.h"

#include <algorithm>
#include <span>

namespace partita::query {
namespace {

using Place = PathExpressions::Place;

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

bool is_comparison(Operation operation) { return opposite(operation) != Operation::kNone; }

// What a document must have for a scalar to be true, or to be false: `wanted`.
class Demands {
 public:
  Demands(const IndexedPaths& indexed, uint32_t document_slot) : indexed_(indexed), paths_(document_slot) {}

  void add(const std::vector<Source>& sources) { paths_.add(sources); }

  Access of(const Scalar& scalar, bool wanted) {
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
      case ScalarKind::kSubscript:
        return of_values(scalar, ValueRanges::of_comparison(Operation::kEqual, Datum::boolean(wanted)));
      default: return of_test(scalar, wanted);
    }
  }

 private:
  // The scalar's value is in the ranges, if the scalar is a path.
  Access of_values(const Scalar& scalar, ValueRanges ranges) const {
    auto place = paths_.find(scalar);
    return place ? of_values(*place, std::move(ranges)) : Access::all(false);
  }

  Access of_values(const Place& place, ValueRanges ranges) const {
    if (ranges.ranges.empty()) return Access::none();
    if (!indexed_.is_indexed(place.path)) return Access::all(false);
    return {.kind = Access::Kind::kValues,
            .is_exact = ranges.is_exact && place.is_exact,
            .path = place.path,
            .ranges = std::move(ranges.ranges),
            .element_of = place.element_of};
  }

  // Anything else that depends on one path: values of the index can be tested for it, if it needs a value at all.
  Access of_test(const Scalar& scalar, bool wanted, const ValueRanges& among = ValueRanges::defined()) const {
    auto single = paths_.of_one_path(scalar);
    if (!single || holds_for_undefined(single->scalar, wanted)) return Access::all(false);
    Access access = of_values(single->place, {among.ranges, false});
    if (access.kind == Access::Kind::kValues) {
      access.tests.push_back({std::make_shared<const Scalar>(std::move(single->scalar)), wanted});
    }
    return access;
  }

  static bool holds_for_undefined(const Scalar& scalar, bool wanted) {
    ManualClock clock(0);
    Random random(0);
    Environment environment{.clock = clock, .random = random};
    Execution execution(environment, 1);
    Datum value = evaluate(scalar, execution);
    return execution.has_failed() || (value.is_bool() && value.boolean() == wanted);
  }

  Access of_all(const Scalar& scalar, bool wanted) {
    Access access = Access::all(true);
    for (const Scalar& operand : scalar.operands) access = both_of(std::move(access), of(operand, wanted));
    return access;
  }

  Access of_any(const Scalar& scalar, bool wanted) {
    std::vector<Access> operands;
    for (const Scalar& operand : scalar.operands) operands.push_back(of(operand, wanted));
    return any_of(std::move(operands));
  }

  // Ranges of one path become one operand.
  static Access any_of(std::vector<Access> operands) {
    Access any{.kind = Access::Kind::kAnyOf, .is_exact = true};
    for (Access& operand : operands) {
      if (operand.is_none()) continue;
      if (operand.is_all()) return Access::all(false);
      any.is_exact = any.is_exact && operand.is_exact;
      auto same = std::ranges::find_if(any.operands, [&](const Access& other) {
        return operand.kind == Access::Kind::kValues && other.kind == Access::Kind::kValues && operand.path == other.path &&
               operand.tests.empty() && other.tests.empty();
      });
      if (same == any.operands.end()) {
        any.operands.push_back(std::move(operand));
      } else {
        std::ranges::move(operand.ranges, std::back_inserter(same->ranges));
        same->is_exact = same->is_exact && operand.is_exact;
        if (same->element_of != operand.element_of) same->element_of = 0;
      }
    }
    for (Access& operand : any.operands) normalise(operand.ranges);
    if (any.operands.empty()) return Access::none();
    return any.operands.size() == 1 ? std::move(any.operands.front()) : std::move(any);
  }

  Access of_binary(const Scalar& scalar, bool wanted) {
    if (!is_comparison(scalar.operation)) return of_test(scalar, wanted);
    Operation operation = wanted ? scalar.operation : opposite(scalar.operation);
    if (auto near = distance_demand(scalar.operands[0], operation, scalar.operands[1])) return of_near(*near);
    if (auto near = distance_demand(scalar.operands[1], mirrored(operation), scalar.operands[0])) return of_near(*near);
    for (size_t side : {size_t{0}, size_t{1}}) {
      const Scalar& other = scalar.operands[1 - side];
      auto place = other.is_constant() ? paths_.find(scalar.operands[side]) : std::nullopt;
      if (!place) continue;
      return of_values(*place, ValueRanges::of_comparison(side == 0 ? operation : mirrored(operation), other.constant_value()));
    }
    return of_test(scalar, wanted);
  }

  // The shape at a path has a point near another shape.
  Access of_near(const SpatialDemand& near) const {
    auto place = paths_.find(*near.path);
    if (!place) return Access::all(false);
    Access access = access_near(near, place->path, indexed_);
    return access.is_all() ? of_values(*place, {{key_forms_of(ValueType::kObject)}, false}) : access;
  }

  // False when one of the two comparisons is, whatever the other one says.
  Access of_between(const Scalar& scalar, bool is_inside) {
    auto near = is_inside ? distance_demand(scalar.operands[0], Operation::kLessEqual, scalar.operands[2]) : std::nullopt;
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
    return of_values(*place, united(ValueRanges::of_comparison(Operation::kLess, least),
                                    ValueRanges::of_comparison(Operation::kGreater, most)));
  }

  Access of_list(const Scalar& scalar, bool is_inside) {
    auto place = paths_.find(scalar.operands[0]);
    auto items = std::span(scalar.operands).subspan(1);
    if (!place || !std::ranges::all_of(items, &Scalar::is_constant)) return of_test(scalar, is_inside != scalar.is_negated);
    std::vector<Datum> values;
    for (const Scalar& item : items) values.push_back(item.constant_value());
    return of_members(*place, values, is_inside);
  }

  Access of_members(const Place& place, std::span<const Datum> values, bool is_inside) const {
    ValueRanges members;
    for (const Datum& value : values) {
      ValueRanges one = ValueRanges::of_comparison(Operation::kEqual, value);
      std::ranges::move(one.ranges, std::back_inserter(members.ranges));
      members.is_exact = members.is_exact && one.is_exact;
    }
    normalise(members.ranges);
    return of_values(place, is_inside ? std::move(members) : without(ValueRanges::defined(), members));
  }

  Access of_pattern(const Scalar& scalar, bool wanted) {
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

  Access of_call(const Scalar& scalar, bool wanted) {
    std::string_view name = scalar.function->name;
    if (auto meeting = wanted ? meeting_demand(scalar) : std::nullopt) return of_near(*meeting);
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

  // FULLTEXTCONTAINS, -ALL and -ANY: which texts have the words of the phrases.
  Access of_words(const Scalar& scalar, bool wanted) {
    auto place = paths_.find(scalar.operands[0]);
    auto phrases = std::span(scalar.operands).subspan(1, scalar.operands.size() - 2);
    const Language language = language_of(scalar.operands.back().constant_value().string()).value_or(Language::kEnglish);
    const bool is_known = wanted && place && std::ranges::all_of(phrases, &Scalar::is_constant);
    if (!is_known || !indexed_.has_words(place->path, language)) {
      return of_test(scalar, wanted, ValueRanges::of_type(ValueType::kString));
    }
    std::vector<Access> operands;
    for (const Scalar& phrase : phrases) {
      if (!phrase.constant_value().is_string()) return Access::none();
      operands.push_back(of_phrase(*place, WordList::of(phrase.constant_value().string(), language)));
    }
    if (scalar.function->name == "FULLTEXTCONTAINSANY") return any_of(std::move(operands));
    Access access = Access::all(true);
    for (Access& operand : operands) access = both_of(std::move(access), std::move(operand));
    return access;
  }

  // The index does not say whether words follow each other.
  static Access of_phrase(const Place& place, const WordList& words) {
    if (words.size() == 0) return Access::none();
    Access access = Access::all(words.size() == 1);
    for (size_t i = 0; i < words.size(); ++i) {
      Access word{.kind = Access::Kind::kValues, .is_exact = place.is_exact, .path = place.path.words()};
      word.ranges = ValueRanges::of_comparison(Operation::kEqual, Datum::string(words[i])).ranges;
      access = both_of(std::move(access), std::move(word));
    }
    return access;
  }

  // The types for which a type check is true. It is false also for undefined, which an index does not have.
  static std::optional<ValueRanges> types_of_check(std::string_view name) {
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
  Access of_string_comparison(const Scalar& scalar, bool wanted) {
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

  // ARRAY_CONTAINS(path, constant), or with a constant array, which is a list.
  Access of_array(const Scalar& scalar, bool wanted) {
    const Scalar& array = scalar.operands[0];
    const Scalar& sample = scalar.operands[1];
    if (array.is_constant() && array.constant_value().is_array() && scalar.operands.size() == 2) {
      auto place = paths_.find(sample);
      std::vector<Datum> values;
      for (size_t i = 0; i < array.constant_value().size(); ++i) values.push_back(array.constant_value().element_at(i));
      return place ? of_members(*place, values, wanted) : Access::all(false);
    }
    auto place = paths_.find(array);
    bool is_known = wanted && place && sample.is_constant();
    if (!is_known) return Access::all(false);
    Access access = of_element(*place, sample.constant_value());
    if (scalar.operands.size() > 2) access.is_exact = false;  // what is there may not say true or false
    return access;
  }

  // Some element is like the sample: equal, or an object with these members at least.
  Access of_element(Place place, const Datum& sample) const {
    place.path = place.path.element();
    place.element_of = 0;
    return of_sample(place, sample);
  }

  Access of_sample(const Place& place, const Datum& sample) const {
    if (!sample.is_object() || sample.size() == 0) {
      return of_values(place, ValueRanges::of_comparison(Operation::kEqual, sample));
    }
    Access access = Access::all(false);
    for (size_t i = 0; i < sample.size(); ++i) {
      Value::Member member = sample.container().member(i);
      Place below = place;
      below.path = below.path.property(member.key);
      below.is_exact = false;  // two members may be found in two elements
      access = both_of(std::move(access), of_sample(below, sample.member(member.key)));
    }
    return access;
  }

  Access of_elements(const Scalar& scalar, bool wanted) {
    auto place = paths_.find(scalar.operands[0]);
    auto samples = std::span(scalar.operands).subspan(1);
    if (!place || !wanted || !std::ranges::all_of(samples, &Scalar::is_constant)) return Access::all(false);
    std::vector<Access> operands;
    for (const Scalar& sample : samples) operands.push_back(of_element(*place, sample.constant_value()));
    if (scalar.function->name == "ARRAY_CONTAINS_ANY") return any_of(std::move(operands));
    Access access = Access::all(true);
    for (Access& operand : operands) access = both_of(std::move(access), std::move(operand));
    return access;
  }

  // A sub-query over the document has a row.
  Access of_rows(const Plan& plan) {
    if (plan.grouping && plan.grouping->keys.empty()) return Access::all(false);
    paths_.add(plan.sources);
    Access access = plan.filter ? of(*plan.filter, true) : Access::all(true);
    for (const Source& source : plan.sources) {
      if (source.kind != Source::Kind::kUnnest || !access.is_all()) continue;
      // At least its array has an element.
      access = both_of(std::move(access), of_values(Scalar::of_slot(source.slot), ValueRanges::defined()));
    }
    bool is_one_array = plan.sources.size() == 1 && plan.sources[0].kind == Source::Kind::kUnnest;
    bool is_one_demand = access.kind == Access::Kind::kValues && access.element_of == plan.sources[0].slot;
    bool is_row_defined = plan.projection.is_constant() || plan.projection.kind == ScalarKind::kSlot;
    bool is_every_row_given = plan.offset == 0 && !plan.limit && !plan.grouping && is_row_defined;
    access.is_exact = access.is_exact && is_one_array && is_one_demand && is_every_row_given;
    return access;
  }

  const IndexedPaths& indexed_;
  PathExpressions paths_;
};

}  // namespace

Access access_of(const Plan& plan, const IndexedPaths& indexed) {
  if (plan.ranking) return Access::all(false);  // compares rows also with those that the filter drops
  return access_of_passing(plan, indexed);
}

Access access_of_passing(const Plan& plan, const IndexedPaths& indexed) {
  if (plan.sources.empty()) return Access::all(false);
  const Source& first = plan.sources.front();
  if (first.kind == Source::Kind::kRows) return access_of(*first.plan, indexed);
  if (first.kind != Source::Kind::kScan) return Access::all(false);
  Demands demands(indexed, first.slot);
  demands.add(plan.sources);
  Access access = plan.filter ? demands.of(*plan.filter, true) : Access::all(true);
  if (plan.sources.size() > 1) access.is_exact = false;
  return access;
}

Access access_of_counted(const Plan& plan, const IndexedPaths& indexed) {
  const Source& first = plan.sources.front();
  if (first.kind == Source::Kind::kRows) return access_of_counted(*first.plan, indexed);
  Access access = access_of(plan, indexed);
  if (plan.grouping->aggregates.empty()) return access;
  const Scalar& argument = plan.grouping->aggregates.front().argument;
  if (argument.is_constant()) return argument.constant_value().is_undefined() ? Access::none() : access;
  auto place = PathExpressions(first.slot).find(argument);
  if (!place || place->path.has_many_values() || !indexed.is_indexed(place->path)) return Access::all(false);
  Access defined{.kind = Access::Kind::kValues, .is_exact = true, .path = std::move(place->path)};
  defined.ranges = {key_forms_of_defined()};
  return both_of(std::move(access), std::move(defined));
}

}  // namespace partita::query
