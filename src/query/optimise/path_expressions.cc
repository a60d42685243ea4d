#include "query/optimise/path_expressions.h"

namespace partita::query {

void PathExpressions::add(const std::vector<Source>& sources) {
  for (const Source& source : sources) {
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

std::optional<PathExpressions::Place> PathExpressions::find(const Scalar& scalar) const {
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

bool PathExpressions::replace_paths(const Scalar& scalar, Scalar& copy, std::optional<Place>& place) const {
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
