#include "query/distribute/key_filter.h"

#include "query/plan/like_pattern.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace partita::query {
namespace {

// What is demanded of each path, those of the key before the sources of a synthetic one: a value, or nothing.
using KeyPredicate = std::vector<std::optional<PartitionKeyComponent>>;

// Any one of these predicates is met. No predicate at all: the filter is never true.
using KeyPredicates = std::vector<KeyPredicate>;

// Of all conjunctions of a filter together: a short text can have very many, and this is done on a connection's thread. One side
// alone still is a correct filter.
constexpr size_t kCombinationsMax = 256;

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
  KeyPredicateFinder(std::vector<DocumentPath> paths, uint32_t document_slot)
      : paths_(std::move(paths)), document_slots_{document_slot} {}

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

  KeyPredicates anything() const { return {KeyPredicate(paths_.size())}; }

 private:
  // Which of the key's paths this is.
  std::optional<size_t> path_of(const Scalar& scalar) const {
    std::vector<std::string_view> names;
    const Scalar* step = &scalar;
    for (; step->kind == ScalarKind::kMember; step = &step->operands[0]) names.push_back(step->name);
    if (step->kind != ScalarKind::kSlot || !document_slots_.contains(step->slot)) return std::nullopt;
    std::ranges::reverse(names);
    auto found = std::ranges::find_if(paths_, [&](const DocumentPath& path) { return std::ranges::equal(path.segments, names); });
    if (found == paths_.end()) return std::nullopt;
    return static_cast<size_t>(found - paths_.begin());
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

  // Which one tells more of where documents are: the key's first path comes first in their hashes.
  static bool says_more(const KeyPredicates& left, const KeyPredicates& right) {
    const auto has_first = [](const KeyPredicate& predicate) { return predicate.front().has_value(); };
    const bool is_left_first = std::ranges::all_of(left, has_first);
    if (is_left_first != std::ranges::all_of(right, has_first)) return is_left_first;
    return left.size() < right.size();
  }

  KeyPredicates combined(KeyPredicates left, KeyPredicates right) {
    if (is_anything(left)) return right;
    if (is_anything(right)) return left;
    const size_t combinations = left.size() * right.size();
    if (combinations > combinations_left_) return says_more(left, right) ? left : right;
    combinations_left_ -= combinations;
    KeyPredicates predicates;
    for (const KeyPredicate& one : left) {
      for (const KeyPredicate& other : right) {
        if (auto merged = both(one, other)) predicates.push_back(std::move(*merged));
      }
    }
    return predicates;
  }

  const std::vector<DocumentPath> paths_;
  std::set<uint32_t> document_slots_;  // all of them hold the document
  size_t combinations_left_ = kCombinationsMax;
};

// The paths that say where documents are: the key's, and the sources that some of it is computed from.
std::vector<DocumentPath> telling_paths(const PartitionKeyDefinition& definition, const SyntheticKey* synthetic) {
  std::vector<DocumentPath> paths = definition.paths;
  if (synthetic == nullptr) return paths;
  for (const SyntheticLevel& level : synthetic->levels()) {
    for (const DocumentPath& source : level.sources()) {
      if (std::ranges::find(paths, source) == paths.end()) paths.push_back(source);
    }
  }
  return paths;
}

// KeyFinder: the keys, or prefixes of keys, that meet predicates.
class KeyFinder {
 public:
  KeyFinder(const PartitionKeyDefinition& definition, const SyntheticKey* synthetic, const std::vector<DocumentPath>& paths)
      : definition_(definition), synthetic_(synthetic), paths_(paths) {}

  // Nothing when that could be any.
  std::optional<std::vector<PartitionKey>> keys_of(const KeyPredicate& predicate) {
    std::vector<PartitionKey> keys(1);
    size_t levels = 0;
    for (; levels < definition_.paths.size(); ++levels) {
      const auto values = values_at(levels, predicate, keys.size());
      if (!values) break;
      keys = extended(keys, *values);
    }
    const bool is_whole = levels > 0 && levels == definition_.paths.size();
    const bool is_prefix = definition_.kind == PartitionKeyDefinition::Kind::kMultiHash && levels > 0;
    if (!is_whole && !is_prefix) return std::nullopt;
    return keys;
  }

 private:
  std::optional<std::vector<PartitionKeyComponent>> values_at(size_t at, const KeyPredicate& predicate, size_t prefixes) {
    if (predicate[at]) return std::vector{*predicate[at]};
    const SyntheticLevel* const level = synthetic_ == nullptr ? nullptr : synthetic_->level_of(definition_.paths[at]);
    if (level == nullptr) return std::nullopt;
    std::vector<SyntheticLevel::Known> known;
    for (const DocumentPath& source : level->sources()) {
      known.push_back(predicate[static_cast<size_t>(std::ranges::find(paths_, source) - paths_.begin())]);
    }
    auto values = level->candidates(known, keys_left_ / prefixes);
    if (values && values->size() > 1) keys_left_ -= values->size() * prefixes;
    return values;
  }

  static std::vector<PartitionKey> extended(const std::vector<PartitionKey>& prefixes,
                                            const std::vector<PartitionKeyComponent>& values) {
    std::vector<PartitionKey> keys;
    for (const PartitionKey& prefix : prefixes) {
      for (const PartitionKeyComponent& value : values) {
        keys.push_back(prefix);
        keys.back().components.push_back(value);
      }
    }
    return keys;
  }

  const PartitionKeyDefinition& definition_;
  const SyntheticKey* synthetic_;
  const std::vector<DocumentPath>& paths_;
  size_t keys_left_ = kSyntheticKeysMax;
};

}  // namespace

KeyFilter key_filter_of(const Plan& plan, const PartitionKeyDefinition& definition, const SyntheticKey* synthetic) {
  if (plan.sources.empty()) return {.is_all = false, .keys = {}};
  const Source& first = plan.sources.front();
  if (first.kind == Source::Kind::kRows) return key_filter_of(*first.plan, definition, synthetic);
  if (first.kind != Source::Kind::kScan) return {.is_all = false, .keys = {}};
  if (!plan.filter) return {};
  KeyFilter filter{.is_all = false, .keys = {}};
  std::set<std::vector<PartitionKeyComponent>> taken;
  const std::vector<DocumentPath> paths = telling_paths(definition, synthetic);
  KeyFinder finder(definition, synthetic, paths);
  for (const KeyPredicate& predicate : KeyPredicateFinder(paths, first.slot).of(*plan.filter)) {
    auto keys = finder.keys_of(predicate);
    if (!keys) return {};
    for (PartitionKey& key : *keys) {
      if (taken.insert(key.components).second) filter.keys.push_back(std::move(key));
    }
  }
  return filter;
}

}  // namespace partita::query
