#include "gateway/index_access.h"

#include "base/prefix_end.h"
#include "gateway/candidates.h"
#include "query/optimise/value_ranges.h"

#include <algorithm>

namespace partita {
namespace {

using query::Access;

query::Datum datum_of(const PartitionKeyComponent& component) {
  if (std::holds_alternative<NullKey>(component)) return query::Datum::null();
  if (const bool* boolean = std::get_if<bool>(&component)) return query::Datum::boolean(*boolean);
  if (const double* number = std::get_if<double>(&component)) return query::Datum::number(*number);
  return query::Datum::string(std::get<std::string>(component));
}

// What documents of these logical partitions have in the index, which always has the paths of the partition key.
Access access_of_key(const PartitionKeyDefinition& definition, const PartitionKey& key) {
  Access access = Access::all(false);
  for (size_t i = 0; i < std::min(key.components.size(), definition.paths.size()); ++i) {
    if (std::holds_alternative<UndefinedKey>(key.components[i])) continue;
    Access component{.kind = Access::Kind::kValues};
    for (const std::string& segment : definition.paths[i].segments) component.path = component.path.property(segment);
    component.ranges = query::ValueRanges::of_comparison(query::Operation::kEqual, datum_of(key.components[i])).ranges;
    access = both_of(std::move(access), std::move(component));
  }
  return access;
}

// A demand for one value; the index has its documents in the order of their numbers. Null when there is none.
const Access* find_equality(const Access& access) {
  if (access.kind == Access::Kind::kAllOf) {
    for (const Access& operand : access.operands) {
      if (const Access* found = find_equality(operand)) return found;
    }
  }
  std::string scratch;
  const bool is_equality = access.kind == Access::Kind::kValues && access.tests.empty() && access.ranges.size() == 1 &&
                           read_key_form(access.ranges[0].from, scratch) &&
                           access.ranges[0].to == prefix_end(access.ranges[0].from);
  return is_equality ? &access : nullptr;
}

void choose_entry(IndexUse& use, const Access& equality) {
  use.choice.entry = DocumentChoice::Entry{equality.path, equality.ranges[0].from};
  use.text = to_text(equality);
}

}  // namespace

Result<IndexUse> choose_documents(const PlaceView& view, const PartitionKeyDefinition& definition,
                                  const std::optional<PartitionKey>& key, const ReadPurpose& purpose) {
  IndexUse use;
  use.text = "scan";
  Access access = purpose.plan ? access_of(*purpose.plan, PolicyPaths(*view.index.policy)) : Access::all(false);
  if (key) access = both_of(access_of_key(definition, *key), std::move(access));
  const Access* equality = find_equality(access);
  if (purpose.plan == nullptr) {
    if (equality != nullptr) choose_entry(use, *equality);
    return use;
  }
  TRY_ASSIGN(Candidates candidates, find_candidates(access, IndexReader(view.slice, view.at), view.documents, purpose.rows_wanted,
                                                    *purpose.environment));
  use.entries_read = candidates.entries_read;
  if (candidates.numbers) {
    use.choice.numbers = std::move(candidates.numbers);
    use.is_exact = candidates.is_exact;
    use.text = candidates.driver != nullptr ? to_text(*candidates.driver) : to_text(access);
  } else if (equality != nullptr) {
    choose_entry(use, *equality);
  }
  return use;
}

}  // namespace partita
