#include "query/distribute/key_filter.h"

#include "query/plan/like_pattern.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace partita::query {
namespace {

// What is demanded of each path: a value, or nothing.
using KeyPredicate = std::vector<std::optional<PartitionKeyComponent>>;

// Any one of these predicates is met. No predicate at all: the filter is never true.
using KeyPredicates = std::vector<KeyPredicate>;

// Of all conjunctions of a filter together. More are not worth their time; one side alone still is a correct filter.
constexpr size_t kCombinationsMax = 100'000;

bool is_anything(const KeyPredicates& predicates) {
  return predicates.size() == 1 &&
         std::ranges::none_of(predicates[0], [](const auto& component) { return component.has_value(); });
}

PartitionKeyComponent component_of(const Datum& value) {
  switch (value.type()) {
    case ValueType::kNull: return NullKey{};
    case ValueType::kBool: return value.boolean();
    case ValueType::kNumber: return value.number() + 0.0;
    case ValueType::kString: return std::string(value.string());
    default: return UndefinedKey{};
  }
}

std::optional<KeyPredicate> both(const KeyPredicate& left, const KeyPredicate& right) {
  KeyPredicate merged = left;
  for (size_t i = 0; i < merged.size(); ++i) {
    if (!right[i]) continue;
    if (merged[i] && *merged[i] != *right[i]) return std::nullopt;
    merged[i] = right[i];
  }
  return merged;
}

class KeyPredicateFinder {
 public:
  KeyPredicateFinder(const PartitionKeyDefinition& definition, uint32_t document_slot)
      : definition_(definition), document_slots_{document_slot} {}

  KeyPredicates of(const Scalar& scalar) {
    switch (scalar.kind) {
      case ScalarKind::kConstant: return scalar.constant_value().is_true() ? anything() : KeyPredicates();
      case ScalarKind::kSlot:
      case ScalarKind::kMember: return of_truth(scalar, true);
      case ScalarKind::kUnary: return scalar.operation == Operation::kNot ? of_truth(scalar.operands[0], false) : anything();
      case ScalarKind::kBinary: return of_comparison(scalar);
      case ScalarKind::kAnd: return of_all(scalar);
      case ScalarKind::kOr: return of_any(scalar);
      case ScalarKind::kIn: return of_list(scalar);
      case ScalarKind::kLike: return of_pattern(scalar);
      case ScalarKind::kCall: return of_call(scalar);
      case ScalarKind::kExists: return scalar.is_negated ? anything() : of_rows(*scalar.plan);
      default: return anything();
    }
  }

  KeyPredicates anything() const { return {KeyPredicate(definition_.paths.size())}; }

 private:
  // Which of the key's paths this is.
  std::optional<size_t> path_of(const Scalar& scalar) const {
    std::vector<std::string_view> names;
    const Scalar* step = &scalar;
    for (; step->kind == ScalarKind::kMember; step = &step->operands[0]) names.push_back(step->name);
    if (step->kind != ScalarKind::kSlot || !document_slots_.contains(step->slot)) return std::nullopt;
    std::ranges::reverse(names);
    auto found = std::ranges::find_if(definition_.paths,
                                      [&](const DocumentPath& path) { return std::ranges::equal(path.segments, names); });
    if (found == definition_.paths.end()) return std::nullopt;
    return static_cast<size_t>(found - definition_.paths.begin());
  }

  KeyPredicates equal_to(size_t path, const Datum& value) const {
    if (value.is_undefined()) return {};
    KeyPredicates predicates = anything();
    predicates[0][path] = component_of(value);
    return predicates;
  }

  KeyPredicates of_truth(const Scalar& scalar, bool value) const {
    auto path = path_of(scalar);
    return path ? equal_to(*path, Datum::boolean(value)) : anything();
  }

  // A sub-query over the document has a row only if its filter is true.
  KeyPredicates of_rows(const Plan& plan) {
    for (const Source& source : plan.sources) {
      bool is_document = source.kind == Source::Kind::kValue && source.scalar.kind == ScalarKind::kSlot &&
                         document_slots_.contains(source.scalar.slot);
      if (is_document) document_slots_.insert(source.slot);
    }
    bool always_has_row = plan.grouping && plan.grouping->keys.empty();
    return plan.filter && !always_has_row ? of(*plan.filter) : anything();
  }

  // Without its row, a comparison with a sub-query is undefined.
  KeyPredicates of_comparison(const Scalar& scalar) {
    KeyPredicates predicates = of_equality(scalar);
    for (const Scalar& operand : scalar.operands) {
      if (operand.kind == ScalarKind::kRowOf) predicates = combined(std::move(predicates), of_rows(*operand.plan));
    }
    return predicates;
  }

  KeyPredicates of_equality(const Scalar& scalar) const {
    if (scalar.operation != Operation::kEqual) return anything();
    for (size_t side : {size_t{0}, size_t{1}}) {
      const Scalar& other = scalar.operands[1 - side];
      if (!other.is_constant()) continue;
      if (auto path = path_of(scalar.operands[side])) return equal_to(*path, other.constant_value());
      if (auto absolute = of_absolute(scalar.operands[side], other.constant_value())) return std::move(*absolute);
    }
    return anything();
  }

  // ABS(path) = number
  std::optional<KeyPredicates> of_absolute(const Scalar& call, const Datum& value) const {
    if (call.kind != ScalarKind::kCall || call.function->name != "ABS" || !value.is_number()) return std::nullopt;
    auto path = path_of(call.operands[0]);
    if (!path) return std::nullopt;
    if (value.number() < 0) return KeyPredicates();
    return united(equal_to(*path, value), equal_to(*path, Datum::number(-value.number())));
  }

  KeyPredicates of_all(const Scalar& scalar) {
    KeyPredicates predicates = anything();
    for (const Scalar& operand : scalar.operands) predicates = combined(std::move(predicates), of(operand));
    return predicates;
  }

  KeyPredicates of_any(const Scalar& scalar) {
    KeyPredicates predicates;
    for (const Scalar& operand : scalar.operands) predicates = united(std::move(predicates), of(operand));
    return predicates;
  }

  KeyPredicates of_list(const Scalar& scalar) const {
    auto path = path_of(scalar.operands[0]);
    if (!path || scalar.is_negated) return anything();
    KeyPredicates predicates;
    for (const Scalar& item : std::span(scalar.operands).subspan(1)) {
      if (!item.is_constant()) return anything();
      predicates = united(std::move(predicates), equal_to(*path, item.constant_value()));
    }
    return predicates;
  }

  KeyPredicates of_pattern(const Scalar& scalar) const {
    auto path = path_of(scalar.operands[0]);
    auto text = scalar.like && !scalar.is_negated ? scalar.like->literal() : std::nullopt;
    return path && text ? equal_to(*path, Datum::string(*text)) : anything();
  }

  KeyPredicates of_call(const Scalar& scalar) const {
    std::string_view name = scalar.function->name;
    if (name == "ARRAY_CONTAINS" || name == "_TRY_ARRAY_CONTAINS") return of_array(scalar);
    auto path = path_of(scalar.operands.empty() ? scalar : scalar.operands[0]);
    if (!path) return anything();
    if (name == "IS_NULL") return equal_to(*path, Datum::null());
    if (name == "IS_BOOL") return united(equal_to(*path, Datum::boolean(false)), equal_to(*path, Datum::boolean(true)));
    bool is_equality = name == "STRINGEQUALS" && scalar.operands.size() == 2 && scalar.operands[1].is_constant();
    return is_equality ? equal_to(*path, scalar.operands[1].constant_value()) : anything();
  }

  // ARRAY_CONTAINS([...], path)
  KeyPredicates of_array(const Scalar& scalar) const {
    auto path = path_of(scalar.operands[1]);
    Datum array = scalar.operands[0].is_constant() ? scalar.operands[0].constant_value() : Datum();
    if (!path || !array.is_array() || scalar.operands.size() > 2) return anything();
    KeyPredicates predicates;
    for (size_t i = 0; i < array.size(); ++i) predicates = united(std::move(predicates), equal_to(*path, array.element_at(i)));
    return predicates;
  }

  static KeyPredicates united(KeyPredicates left, KeyPredicates right) {
    std::ranges::move(right, std::back_inserter(left));
    return left;
  }

  KeyPredicates combined(KeyPredicates left, KeyPredicates right) {
    if (is_anything(left)) return right;
    if (is_anything(right)) return left;
    const size_t combinations = left.size() * right.size();
    if (combinations > combinations_left_) return left.size() < right.size() ? left : right;
    combinations_left_ -= combinations;
    KeyPredicates predicates;
    for (const KeyPredicate& one : left) {
      for (const KeyPredicate& other : right) {
        if (auto merged = both(one, other)) predicates.push_back(std::move(*merged));
      }
    }
    return predicates;
  }

  const PartitionKeyDefinition& definition_;
  std::set<uint32_t> document_slots_;  // all of them hold the document
  size_t combinations_left_ = kCombinationsMax;
};

// The key, or the prefix of one, that meets a predicate. Nothing when that could be any.
std::optional<PartitionKey> key_of(const KeyPredicate& predicate, const PartitionKeyDefinition& definition) {
  PartitionKey key;
  for (const auto& component : predicate) {
    if (!component) break;
    key.components.push_back(*component);
  }
  bool is_whole = key.components.size() == predicate.size();
  bool is_prefix = definition.kind == PartitionKeyDefinition::Kind::kMultiHash && !key.components.empty();
  return !key.components.empty() && (is_whole || is_prefix) ? std::optional(std::move(key)) : std::nullopt;
}

}  // namespace

KeyFilter key_filter_of(const Plan& plan, const PartitionKeyDefinition& definition) {
  if (plan.sources.empty()) return {.is_all = false, .keys = {}};
  const Source& first = plan.sources.front();
  if (first.kind == Source::Kind::kRows) return key_filter_of(*first.plan, definition);
  if (first.kind != Source::Kind::kScan) return {.is_all = false, .keys = {}};
  if (!plan.filter) return {};
  KeyFilter filter{.is_all = false, .keys = {}};
  std::set<std::vector<PartitionKeyComponent>> taken;
  for (const KeyPredicate& predicate : KeyPredicateFinder(definition, first.slot).of(*plan.filter)) {
    auto key = key_of(predicate, definition);
    if (!key) return {};
    if (taken.insert(key->components).second) filter.keys.push_back(std::move(*key));
  }
  return filter;
}

}  // namespace partita::query
