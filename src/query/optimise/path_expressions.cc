#include "query/optimise/path_expressions.h"

#include <algorithm>

namespace partita::query {

void PathExpressions::add(const std::vector<Source>& sources) {
  for (const Source& source : sources) {
    if (source.kind == Source::Kind::kRows) add_rows(source);
    if (source.kind != Source::Kind::kValue && source.kind != Source::Kind::kUnnest) continue;
    auto place = find(source.scalar);
    if (!place) continue;
    if (source.kind == Source::Kind::kUnnest) {
      place->path = place->path.element();
      place->element_of = source.slot;
    }
    places_[source.slot] = std::move(*place);
  }
}

void PathExpressions::add_rows(const Source& source) {
  add(source.plan->sources);
  rows_[source.slot] = &source.plan->projection;
  if (source.plan->grouping) add_counts(*source.plan);
}

void PathExpressions::add_counts(const Plan& plan) {
  if (!plan.grouping->keys.empty()) return;
  for (const Aggregate& aggregate : plan.grouping->aggregates) {
    if (aggregate.kind == AggregateKind::kCount) counts_[aggregate.slot] = &plan;
  }
}

const Scalar& PathExpressions::resolved(const Scalar& scalar) const {
  if (scalar.kind == ScalarKind::kSlot) {
    const auto row = rows_.find(scalar.slot);
    return row == rows_.end() ? scalar : resolved(*row->second);
  }
  if (scalar.kind != ScalarKind::kMember) return scalar;
  const Scalar& owner = resolved(scalar.operands[0]);
  if (owner.kind != ScalarKind::kObject || std::ranges::count(owner.names, scalar.name) != 1) return scalar;
  return resolved(owner.operands[static_cast<size_t>(std::ranges::find(owner.names, scalar.name) - owner.names.begin())]);
}

// A slot with a COUNT; (SELECT VALUE COUNT(..) ..); ARRAY_LENGTH(ARRAY(..)).
const Plan* PathExpressions::counted_by(const Scalar& scalar) const {
  const Scalar& count = resolved(scalar);
  if (count.kind == ScalarKind::kSlot) {
    const auto known = counts_.find(count.slot);
    return known == counts_.end() ? nullptr : known->second;
  }
  if (count.kind == ScalarKind::kRowOf && count.plan->grouping) {
    PathExpressions inner = *this;
    inner.add_counts(*count.plan);
    return inner.counted_by(count.plan->projection);
  }
  const bool is_length = count.kind == ScalarKind::kCall && count.function->name == "ARRAY_LENGTH";
  const bool is_of_rows = is_length && count.operands[0].kind == ScalarKind::kArrayOf && !count.operands[0].plan->grouping;
  return is_of_rows ? count.operands[0].plan.get() : nullptr;
}

std::optional<PathExpressions::Place> PathExpressions::find(const Scalar& given) const {
  const Scalar& scalar = resolved(given);
  if (scalar.kind == ScalarKind::kSlot) {
    auto known = places_.find(scalar.slot);
    return known == places_.end() ? std::nullopt : std::optional(known->second);
  }
  if (scalar.kind != ScalarKind::kMember && scalar.kind != ScalarKind::kSubscript) return std::nullopt;
  auto place = find(scalar.operands[0]);
  if (!place) return std::nullopt;
  if (scalar.kind == ScalarKind::kMember) {
    place->path = place->path.property(scalar.name);
    return place;
  }
  if (!scalar.operands[1].is_constant()) return std::nullopt;
  Datum index = scalar.operands[1].constant_value();
  if (index.is_string()) {
    place->path = place->path.property(index.string());
  } else {
    place->path = place->path.element();
    place->element_of = 0;
    place->is_exact = false;
  }
  return place;
}

bool PathExpressions::replace_paths(const Scalar& given, Scalar& copy, std::optional<Place>& place) const {
  const Scalar& scalar = resolved(given);
  if (auto found = find(scalar)) {
    if (place && (place->path != found->path || place->element_of != found->element_of || !found->is_exact)) return false;
    place = std::move(found);
    copy = Scalar::of_slot(0);
    return true;
  }
  bool is_other = scalar.kind == ScalarKind::kSlot || scalar.kind == ScalarKind::kUserCall || scalar.plan != nullptr ||
                  (scalar.kind == ScalarKind::kCall && !scalar.function->is_constant_foldable);
  if (is_other) return false;
  copy.kind = scalar.kind;
  copy.operation = scalar.operation;
  copy.is_negated = scalar.is_negated;
  copy.function = scalar.function;
  copy.constant = scalar.constant;
  copy.name = scalar.name;
  copy.names = scalar.names;
  copy.like = scalar.like;
  copy.set = scalar.set;
  copy.operands.resize(scalar.operands.size());
  for (size_t i = 0; i < scalar.operands.size(); ++i) {
    if (!replace_paths(scalar.operands[i], copy.operands[i], place)) return false;
  }
  return true;
}

std::optional<PathExpressions::OfOnePath> PathExpressions::of_one_path(const Scalar& scalar) const {
  std::optional<Place> place;
  Scalar copy;
  if (!replace_paths(scalar, copy, place) || !place) return std::nullopt;
  return OfOnePath{std::move(*place), std::move(copy)};
}

}  // namespace partita::query
