#include "query/optimise/predicates/index_predicates.h"

namespace partita::query {
namespace {

// Whether a comparison can be true of the number 0.
bool holds_for_zero(Operation operation, const Datum& other) {
  if (!other.is_number()) return true;
  switch (operation) {
    case Operation::kEqual: return other.number() == 0;
    case Operation::kNotEqual: return other.number() != 0;
    case Operation::kLess: return other.number() > 0;
    case Operation::kLessEqual: return other.number() >= 0;
    case Operation::kGreater: return other.number() < 0;
    case Operation::kGreaterEqual: return other.number() <= 0;
    default: return true;
  }
}

}  // namespace

Access IndexPredicates::of_input(const Plan& plan, size_t first_joined) {
  paths_.add(plan.sources);
  Access access = plan.filter ? of(*plan.filter, true) : Access::all(true);
  for (size_t i = first_joined; i < plan.sources.size(); ++i) {
    if (plan.sources[i].plan) access = both_of(std::move(access), of_rows(*plan.sources[i].plan));
  }
  return access;
}

// A sub-query over the document has a row. Without keys, groups are one row for no input too.
Access IndexPredicates::of_rows(const Plan& plan) {
  return plan.grouping && plan.grouping->keys.empty() ? Access::all(false) : of_some_row(plan);
}

Access IndexPredicates::of_some_row(const Plan& plan) {
  Access access = of_input(plan, 0);
  for (const Source& source : plan.sources) {
    if (source.kind != Source::Kind::kUnnest || !access.is_all()) continue;
    // At least its array has an element.
    access = both_of(std::move(access), of_values(Scalar::of_slot(source.slot), ValueRanges::defined()));
  }
  const bool is_one_array = plan.sources.size() == 1 && plan.sources[0].kind == Source::Kind::kUnnest;
  const bool is_one_predicate = is_one_array && access.kind == Access::Kind::kValues && access.element_of == plan.sources[0].slot;
  const bool is_row_defined = plan.projection.is_constant() || plan.projection.kind == ScalarKind::kSlot;
  const bool is_every_row_given = plan.offset == 0 && !plan.limit && !plan.grouping && is_row_defined;
  access.is_exact = access.is_exact && is_one_predicate && is_every_row_given;
  return access;
}

// Where the number of a sub-query's rows is compared so that 0 will not do, it has some.
std::optional<Access> IndexPredicates::of_row_count(const Scalar& count, Operation operation, const Scalar& other) {
  const Plan* plan = other.is_constant() ? paths_.counted_by(count) : nullptr;
  if (plan == nullptr || holds_for_zero(operation, other.constant_value())) return std::nullopt;
  Access access = of_some_row(*plan);
  access.is_exact = false;
  return access;
}

}  // namespace partita::query
