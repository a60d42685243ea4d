#include "access/index/index_access.h"

#include "access/index/candidates.h"
#include "access/index/chosen_representatives.h"
#include "access/index/key_access.h"
#include "access/index/policy_paths.h"

#include <algorithm>

namespace partita {
namespace {

using query::Access;

// Finding and loading a representative costs about as much as reading so many documents one after the other.
constexpr uint64_t kDocumentsPerRepresentative = 16;
constexpr uint64_t kRepresentativesMin = 64;

// A predicate for one value; the index has its documents in the order of their numbers. Null when there is none.
const Access* find_equality(const Access& access) {
  if (access.kind == Access::Kind::kAllOf) {
    for (const Access& operand : access.operands) {
      if (const Access* found = find_equality(operand)) return found;
    }
  }
  return is_equality(access) ? &access : nullptr;
}

void choose_entry(IndexUse& use, const Access& equality) {
  use.choice.entry = DocumentChoice::Entry{equality.path, equality.ranges[0].from};
  use.text = to_text(equality);
}

// What a reader in vain would have cached costs those who come later less; so he leaves it alone.
std::unexpected<Error> left_to_reader() { return fail(ErrorCode::kTimeout, "nobody knows yet whether the partition is read"); }

// The index predicates of the plan's filter and the key over the documents of a partition.
Access access_for(const PartitionView& view, const ReadScope& scope, const ReadPurpose& purpose) {
  const PolicyPaths paths(*view.index.policy);
  Access access = Access::all(false);
  if (purpose.plan != nullptr) {
    access = purpose.takes_passing ? access_of_passing(*purpose.plan, paths) : access_of(*purpose.plan, paths);
  }
  return with_key(std::move(access), scope);
}

// False when the plan needs other documents than representatives, or too many of these. Those that have expired represent nobody.
Result<bool> choose_represented(const PartitionView& view, const Access& access, const ReadPurpose& purpose, IndexUse& use) {
  if (!purpose.takes_representatives || view.slice.visibility().time_to_live.is_on()) return false;
  const auto wanted = query::representatives_of(*purpose.plan, access, PolicyPaths(*view.index.policy));
  if (!wanted) return false;
  if (purpose.may_be_in_vain) return left_to_reader();
  const uint64_t numbers_max = std::max(kRepresentativesMin, view.documents / kDocumentsPerRepresentative);
  TRY_ASSIGN(auto chosen, choose_representatives(*wanted, view, numbers_max, *purpose.environment));
  if (!chosen) return false;
  use.choice.numbers = std::move(chosen->numbers);
  use.choice.stand_for = std::move(chosen->stand_for);
  use.is_exact = true;
  use.entries_read = chosen->entries_read;
  use.text = to_text(*wanted);
  return true;
}

// Of the documents that a predicate has led to, those that are known not to match others.
Status leave_out_known(const PartitionView& view, const Access& access, const Access& driver, const ReadPurpose& purpose,
                       IndexUse& use) {
  if (purpose.may_be_in_vain) return left_to_reader();
  TRY_ASSIGN(use.filter, PredicateFilter::beside(driver, access, view, *purpose.environment));
  use.entries_read += use.filter->entries_read();
  if (use.filter->text().empty()) return {};
  std::erase_if(*use.choice.numbers, [&](DocumentNumber number) { return !use.filter->may_pass(number); });
  use.text += ", known: " + use.filter->text();
  return {};
}

}  // namespace

Result<IndexUse> choose_documents(const PartitionView& view, const ReadScope& scope, const ReadPurpose& purpose, bool is_whole) {
  IndexUse use;
  use.text = "scan";
  const Access access = access_for(view, scope, purpose);
  const Access* equality = find_equality(access);
  if (purpose.plan == nullptr) {
    if (equality != nullptr) choose_entry(use, *equality);
    return use;
  }
  if (is_whole) {
    TRY_ASSIGN(const bool is_represented, choose_represented(view, access, purpose, use));
    if (is_represented) return use;
  }
  TRY_ASSIGN(Candidates candidates, find_candidates(access, view, purpose.rows_wanted, *purpose.environment));
  use.entries_read += candidates.entries_read;
  if (candidates.numbers) {
    use.choice.numbers = std::move(candidates.numbers);
    use.is_exact = candidates.is_exact;
    use.text = candidates.driver != nullptr ? to_text(*candidates.driver) : to_text(access);
    if (!use.is_exact && candidates.driver != nullptr) TRY(leave_out_known(view, access, *candidates.driver, purpose, use));
  } else if (equality != nullptr) {
    choose_entry(use, *equality);
  }
  return use;
}

Result<std::optional<ScopeInIndex>> find_scope(const PartitionView& view, const ReadScope& scope,
                                               const query::Environment& environment) {
  if (view.slice.visibility().time_to_live.is_on()) return std::nullopt;
  if (!scope.key) return contains(scope.range, view.partition->range()) ? std::optional(ScopeInIndex()) : std::nullopt;
  const Access access = access_of_key(scope.definition, *scope.key);
  if (!access.is_exact || !contains(scope.range, range_of_prefix(*scope.key, scope.definition))) return std::nullopt;
  TRY_ASSIGN(Candidates candidates, find_candidates(access, view, std::nullopt, environment));
  if (!candidates.numbers || !candidates.is_exact) return std::nullopt;
  return ScopeInIndex{std::move(candidates.numbers), candidates.entries_read};
}

Result<std::optional<OrderedUse>> choose_order(const PartitionView& view, const ReadScope& scope, const ReadPurpose& purpose) {
  const PolicyPaths paths(*view.index.policy);
  const Access access = access_for(view, scope, purpose);
  if (access.is_none()) return std::nullopt;
  auto order = query::index_order_of(*purpose.plan, access, paths);
  if (!order) return std::nullopt;
  std::optional<KeyFormRange> range = query::range_of(access, *order);
  TRY_ASSIGN(PredicateFilter filter, PredicateFilter::of(access, *order, view, *purpose.environment));
  uint64_t entries_read = filter.entries_read();
  if (!covers(*order, access) && filter.documents_max().value_or(0) <= candidates_max(view, purpose.rows_wanted)) {
    TRY_ASSIGN(const Candidates candidates, find_candidates(access, view, purpose.rows_wanted, *purpose.environment));
    if (candidates.numbers) return std::nullopt;
    entries_read += candidates.entries_read;
  }
  return OrderedUse{std::move(*order), std::move(range), std::move(filter), entries_read};
}

Result<std::optional<VectorUse>> choose_vectors(const PartitionView& view, const ReadScope& scope, const ReadPurpose& purpose) {
  auto order = query::vector_order_of(*purpose.plan, PolicyPaths(*view.index.policy));
  if (!order) return std::nullopt;
  TRY_ASSIGN(Candidates candidates, find_candidates(access_for(view, scope, purpose), view, std::nullopt, *purpose.environment));
  return VectorUse{std::move(*order), std::move(candidates.numbers), candidates.entries_read};
}

}  // namespace partita
