#include "access/index/key_access.h"

#include "query/optimise/value_ranges.h"

#include <algorithm>
#include <string>
#include <utility>
#include <variant>

namespace partita {
namespace {

using query::Access;

query::Datum datum_of(const PartitionKeyComponent& component) {
  if (std::holds_alternative<NullKey>(component)) return query::Datum::null();
  if (const bool* boolean = std::get_if<bool>(&component)) return query::Datum::boolean(*boolean);
  if (const double* number = std::get_if<double>(&component)) return query::Datum::number(*number);
  return query::Datum::string(std::get<std::string>(component));
}

}  // namespace

query::Access access_of_key(const PartitionKeyDefinition& definition, const PartitionKey& key) {
  Access access = Access::all(key.components.size() <= definition.paths.size());
  for (size_t i = 0; i < std::min(key.components.size(), definition.paths.size()); ++i) {
    if (std::holds_alternative<UndefinedKey>(key.components[i])) {
      access.is_exact = false;
      continue;
    }
    query::ValueRanges equal = query::ValueRanges::of_comparison(query::Operation::kEqual, datum_of(key.components[i]));
    Access component{.kind = Access::Kind::kValues, .is_exact = equal.is_exact};
    component.path = ValuePath::of(definition.paths[i].segments);
    component.ranges = std::move(equal.ranges);
    access = both_of(std::move(access), std::move(component));
  }
  return access;
}

query::Access with_key(query::Access access, const ReadScope& scope) {
  return scope.key ? both_of(access_of_key(scope.definition, *scope.key), std::move(access)) : access;
}

}  // namespace partita
