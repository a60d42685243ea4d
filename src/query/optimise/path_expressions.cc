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

PathExpressions::Chain PathExpressions::chain_of(const Scalar& scalar) const {
  Chain chain{{}, &scalar};
  while (chain.base->kind == ScalarKind::kMember || chain.base->kind == ScalarKind::kSubscript) {
    chain.steps.push_back(chain.base);
    chain.base = &chain.base->operands[0];
  }
  use_steps(chain.steps.size() + 1);
  return chain;
}

// What the only member of this name is in a row that is made as an object; null when that is not known.
const Scalar* PathExpressions::member_of_row(const Scalar& owner, const std::string& name) const {
  if (owner.kind != ScalarKind::kObject) return nullptr;
  const auto [known, is_new] = members_.try_emplace(&owner);
  Members& members = known->second;
  for (size_t i = 0; is_new && i < owner.names.size(); ++i) {
    const auto [member, is_first] = members.try_emplace(owner.names[i], &owner.operands[i]);
    if (!is_first) member->second = nullptr;
  }
  const auto found = members.find(name);
  return found == members.end() ? nullptr : found->second;
}

const Scalar& PathExpressions::resolved(const Scalar& scalar) const {
  if (scalar.kind != ScalarKind::kSlot && scalar.kind != ScalarKind::kMember) return scalar;
  const Chain chain = chain_of(scalar);
  const Scalar* now = chain.base;
  if (now->kind == ScalarKind::kSlot && has_steps()) {
    const auto row = rows_.find(now->slot);
    if (row != rows_.end()) now = &resolved(*row->second);
  }
  for (size_t i = chain.steps.size(); i-- > 0;) {
    const Scalar& step = *chain.steps[i];
    const bool is_member = step.kind == ScalarKind::kMember && has_steps();
    const Scalar* member = is_member ? member_of_row(*now, step.name) : nullptr;
    now = member == nullptr ? &step : &resolved(*member);
  }
  return *now;
}

// A slot with a COUNT; (SELECT VALUE COUNT(..) ..); ARRAY_LENGTH(ARRAY(..)).
const Plan* PathExpressions::counted_by(const Scalar& scalar) {
  if (!use_steps(1)) return nullptr;
  const Scalar& count = resolved(scalar);
  if (count.kind == ScalarKind::kSlot) {
    const auto known = counts_.find(count.slot);
    return known == counts_.end() ? nullptr : known->second;
  }
  if (count.kind == ScalarKind::kRowOf && count.plan->grouping) {
    add_counts(*count.plan);
    return counted_by(count.plan->projection);
  }
  const bool is_length = count.kind == ScalarKind::kCall && count.function->name == "ARRAY_LENGTH";
  const bool is_of_rows = is_length && count.operands[0].kind == ScalarKind::kArrayOf && !count.operands[0].plan->grouping;
  return is_of_rows ? count.operands[0].plan.get() : nullptr;
}

std::optional<PathExpressions::Place> PathExpressions::place_of_base(const Scalar& base) const {
  const Scalar& scalar = resolved(base);
  if (scalar.kind != ScalarKind::kSlot) return find(scalar);
  const auto known = places_.find(scalar.slot);
  return known == places_.end() ? std::nullopt : std::optional(known->second);
}

// From the owner's place to that of one of its members or elements. False when it is not known which one.
bool PathExpressions::go_down(const Scalar& step, Place& place) {
  std::string_view name = step.name;
  if (step.kind == ScalarKind::kSubscript) {
    if (!step.operands[1].is_constant()) return false;
    const Datum index = step.operands[1].constant_value();
    if (!index.is_string()) {
      place.path.steps.push_back({ValuePath::Step::Kind::kElement});
      place.element_of = 0;
      place.is_exact = false;
      return true;
    }
    name = index.string();
  }
  place.path.steps.push_back({ValuePath::Step::Kind::kProperty, std::string(name)});
  return true;
}

std::optional<PathExpressions::Place> PathExpressions::find(const Scalar& given) const {
  const bool may_be_path =
      given.kind == ScalarKind::kSlot || given.kind == ScalarKind::kMember || given.kind == ScalarKind::kSubscript;
  if (!may_be_path || !has_steps()) return std::nullopt;
  const Chain chain = chain_of(given);
  std::optional<Place> place = chain.base->kind == ScalarKind::kSlot ? place_of_base(*chain.base) : std::nullopt;
  const Scalar* now = &resolved(*chain.base);
  for (size_t i = chain.steps.size(); i-- > 0;) {
    const Scalar& step = *chain.steps[i];
    const Scalar* member = step.kind == ScalarKind::kMember ? member_of_row(*now, step.name) : nullptr;
    now = member == nullptr ? &step : &resolved(*member);
    if (member != nullptr) {
      place = find(*now);
    } else if (place && !go_down(step, *place)) {
      place.reset();
    }
  }
  return place;
}

bool PathExpressions::replace_paths(const Scalar& given, Scalar& copy, std::optional<Place>& place) const {
  if (!use_steps(1)) return false;
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
