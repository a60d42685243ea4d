#include "query/optimise/access.h"
#include "query/optimise/path_expressions.h"
#include "query/optimise/predicates/index_predicates.h"

#include <vector>

namespace partita::query {

Access access_of(const Plan& plan, const IndexedPaths& indexed) {
  if (plan.ranking) return Access::all(false);  // compares rows also with those that the filter drops
  return access_of_passing(plan, indexed);
}

Access access_of_passing(const Plan& plan, const IndexedPaths& indexed) {
  // Plans from the outermost one to that which reads the documents.
  std::vector<const Plan*> plans = {&plan};
  const auto first_source = [&] { return plans.back()->sources.empty() ? nullptr : &plans.back()->sources.front(); };
  while (first_source() != nullptr && first_source()->kind == Source::Kind::kRows) plans.push_back(first_source()->plan.get());
  if (first_source() == nullptr || first_source()->kind != Source::Kind::kScan) return Access::all(false);
  IndexPredicates predicates(indexed, first_source()->slot);
  Access access = Access::all(true);
  for (size_t i = plans.size(); i-- > 0;) {
    access = both_of(std::move(access), predicates.of_input(*plans[i], 1));
    if (plans[i]->sources.size() > 1) access.is_exact = false;
  }
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
