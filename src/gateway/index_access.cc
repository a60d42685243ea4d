#include "gateway/index_access.h"

#include "engine/index_terms.h"
#include "gateway/candidates.h"
#include "gateway/chosen_representatives.h"
#include "query/optimise/value_ranges.h"

#include <algorithm>

namespace partita {
namespace {

using query::Access;

// Finding and loading a representative costs about as much as reading so many documents one after the other.
constexpr uint64_t kDocumentsPerRepresentative = 16;
constexpr uint64_t kRepresentativesMin = 64;

query::Datum datum_of(const PartitionKeyComponent& component) {
  if (std::holds_alternative<NullKey>(component)) return query::Datum::null();
  if (const bool* boolean = std::get_if<bool>(&component)) return query::Datum::boolean(*boolean);
  if (const double* number = std::get_if<double>(&component)) return query::Datum::number(*number);
  return query::Datum::string(std::get<std::string>(component));
}

// What documents of these logical partitions have in the index, which always has the paths of the partition key.
Access access_of_key(const PartitionKeyDefinition& definition, const PartitionKey& key) {
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

// A demand for one value; the index has its documents in the order of their numbers. Null when there is none.
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

Access with_key(Access access, const PartitionKeyDefinition& definition, const std::optional<PartitionKey>& key) {
  return key ? both_of(access_of_key(definition, *key), std::move(access)) : access;
}

// What the plan's filter and the key demand of the documents of a place.
Access access_for(const PlaceView& view, const PartitionKeyDefinition& definition, const std::optional<PartitionKey>& key,
                  const ReadPurpose& purpose) {
  const PolicyPaths paths(*view.index.policy);
  Access access = Access::all(false);
  if (purpose.plan != nullptr) {
    access = purpose.takes_passing ? access_of_passing(*purpose.plan, paths) : access_of(*purpose.plan, paths);
  }
  return with_key(std::move(access), definition, key);
}

// Whether its last parts are these paths, with directions relative to that of the first path. Ties are in the order of document
// numbers, which entries have as they are.
bool ends_with(const CompositeIndex& index, std::span<const query::OrderedPath> paths) {
  if (index.parts.size() < paths.size()) return false;
  const std::span parts = std::span(index.parts).last(paths.size());
  return std::ranges::equal(parts, paths, [&](const CompositeIndex::Part& part, const query::OrderedPath& path) {
    return part.path.steps == path.path.steps &&
           (part.is_descending != index.parts.front().is_descending) == (path.is_descending != paths.front().is_descending);
  });
}

// The entries of the index whose first parts, of which there are so many, are fixed; nothing when one is not.
std::optional<query::CompositeEntries> entries_of(const CompositeIndex& index, size_t parts,
                                                  std::span<const query::FixedPath> fixed) {
  query::CompositeEntries entries{.path = composite_path(index)};
  for (const CompositeIndex::Part& part : std::span(index.parts).first(parts)) {
    const ValuePath path{part.path.steps};
    const auto value = std::ranges::find(fixed, path, &query::FixedPath::path);
    if (value == fixed.end()) return std::nullopt;
    entries.fixed.push_back(path);
    const bool is_inverted = part.is_descending != index.parts.front().is_descending;
    for (const char byte : value->key_form) entries.prefix += is_inverted ? static_cast<char>(~byte) : byte;
  }
  return entries;
}

// False when the plan needs other documents than representatives, or too many of these. Those that have expired represent nobody.
Result<bool> choose_represented(const PlaceView& view, const Access& access, const ReadPurpose& purpose, IndexUse& use) {
  if (!purpose.takes_representatives || !purpose.is_whole || view.slice.visibility().time_to_live.is_on()) return false;
  const auto wanted = query::representatives_of(*purpose.plan, access, PolicyPaths(*view.index.policy));
  if (!wanted) return false;
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

// Of the documents that a demand has led to, those that are known not to meet others.
Status leave_out_known(const PlaceView& view, const Access& access, const Access& driver, const ReadPurpose& purpose,
                       IndexUse& use) {
  TRY_ASSIGN(use.filter, DemandFilter::beside(driver, access, view, *purpose.environment));
  use.entries_read += use.filter->entries_read();
  if (use.filter->text().empty()) return {};
  std::erase_if(*use.choice.numbers, [&](DocumentNumber number) { return !use.filter->may_pass(number); });
  use.text += ", known: " + use.filter->text();
  return {};
}

bool contains(const EffectiveKeyRange& outer, const EffectiveKeyRange& inner) {
  return outer.min <= inner.min && inner.max <= outer.max;
}

}  // namespace

std::optional<query::CompositeEntries> PolicyPaths::composite(std::span<const query::OrderedPath> paths,
                                                              std::span<const query::FixedPath> fixed) const {
  std::optional<query::CompositeEntries> best;
  for (const CompositeIndex& index : policy_.composite_indexes()) {
    if (!has_entries(index) || !ends_with(index, paths)) continue;
    auto entries = entries_of(index, index.parts.size() - paths.size(), fixed);
    if (entries && (!best || entries->fixed.size() > best->fixed.size())) best = std::move(entries);
  }
  return best;
}

bool PolicyPaths::is_indexed(const ValuePath& path) const {
  const auto is_there = [&](const DocumentPath& known) { return ValuePath::of(known.segments) == path.source(); };
  switch (path.kind()) {
    case ValuePath::Step::Kind::kCells:
      return policy_.spatial() != nullptr && policy_.spatial()->paths.includes(path.source().steps);
    case ValuePath::Step::Kind::kWords:
      return std::ranges::any_of(policy_.full_text_paths(), is_there, &IndexingPolicy::FullTextPath::path);
    case ValuePath::Step::Kind::kVector: return std::ranges::any_of(policy_.vector_paths(), is_there);
    default: return !path.steps.empty() && policy_.includes(path.steps);
  }
}

bool PolicyPaths::has_words(const ValuePath& path, Language language) const {
  return std::ranges::any_of(policy_.full_text_paths(), [&](const IndexingPolicy::FullTextPath& known) {
    return known.language == language && ValuePath::of(known.path.segments) == path;
  });
}

std::optional<PlaneBox> PolicyPaths::cells_at(const ValuePath& path, Space space) const {
  const SpatialPaths* spatial = policy_.spatial();
  if (spatial == nullptr || spatial->space != space || !spatial->paths.includes(path.steps)) return std::nullopt;
  return spatial->box;
}

Result<IndexUse> choose_documents(const PlaceView& view, const PartitionKeyDefinition& definition,
                                  const std::optional<PartitionKey>& key, const ReadPurpose& purpose) {
  IndexUse use;
  use.text = "scan";
  const Access access = access_for(view, definition, key, purpose);
  const Access* equality = find_equality(access);
  if (purpose.plan == nullptr) {
    if (equality != nullptr) choose_entry(use, *equality);
    return use;
  }
  TRY_ASSIGN(const bool is_represented, choose_represented(view, access, purpose, use));
  if (is_represented) return use;
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

Result<std::optional<ScopeInPlace>> find_scope(const PlaceView& view, const PartitionKeyDefinition& definition,
                                               const EffectiveKeyRange& range, const std::optional<PartitionKey>& key,
                                               const query::Environment& environment) {
  if (view.slice.visibility().time_to_live.is_on()) return std::nullopt;
  if (!key) return contains(range, view.place->range()) ? std::optional(ScopeInPlace()) : std::nullopt;
  const Access access = access_of_key(definition, *key);
  if (!access.is_exact || !contains(range, range_of_prefix(*key, definition))) return std::nullopt;
  TRY_ASSIGN(Candidates candidates, find_candidates(access, view, std::nullopt, environment));
  if (!candidates.numbers || !candidates.is_exact) return std::nullopt;
  return ScopeInPlace{std::move(candidates.numbers), candidates.entries_read};
}

Result<std::optional<CountedDocuments>> count_documents(const PlaceView& view, const PartitionKeyDefinition& definition,
                                                        const EffectiveKeyRange& range, const std::optional<PartitionKey>& key,
                                                        const ReadPurpose& purpose) {
  const bool is_whole = key ? contains(range, range_of_prefix(*key, definition)) : contains(range, view.place->range());
  const Access access = with_key(access_of_counted(*purpose.plan, PolicyPaths(*view.index.policy)), definition, key);
  if (!is_whole || !access.is_exact) return std::nullopt;
  // Neither counters nor index entries know what has expired.
  if (view.slice.visibility().time_to_live.is_on()) return std::nullopt;
  if (access.is_all()) return CountedDocuments{view.documents, 0, "counters"};
  if (access.is_none()) return CountedDocuments{0, 0, "none"};
  TRY_ASSIGN(const std::optional<CountedEntries> counted, count_entries(access, view, *purpose.environment));
  if (!counted) return std::nullopt;
  return CountedDocuments{counted->documents, counted->entries_read, "count of " + to_text(access)};
}

Result<std::optional<OrderedUse>> choose_order(const PlaceView& view, const PartitionKeyDefinition& definition,
                                               const std::optional<PartitionKey>& key, const ReadPurpose& purpose) {
  const PolicyPaths paths(*view.index.policy);
  const Access access = access_for(view, definition, key, purpose);
  if (access.is_none()) return std::nullopt;
  auto order = query::index_order_of(*purpose.plan, access, paths);
  if (!order) return std::nullopt;
  std::optional<KeyFormRange> range = query::range_of(access, *order);
  TRY_ASSIGN(DemandFilter filter, DemandFilter::of(access, *order, view, *purpose.environment));
  uint64_t entries_read = filter.entries_read();
  if (!covers(*order, access) && filter.documents_max().value_or(0) <= candidates_max(view, purpose.rows_wanted)) {
    TRY_ASSIGN(const Candidates candidates, find_candidates(access, view, purpose.rows_wanted, *purpose.environment));
    if (candidates.numbers) return std::nullopt;
    entries_read += candidates.entries_read;
  }
  return OrderedUse{std::move(*order), std::move(range), std::move(filter), entries_read};
}

Result<std::optional<VectorUse>> choose_vectors(const PlaceView& view, const PartitionKeyDefinition& definition,
                                                const std::optional<PartitionKey>& key, const ReadPurpose& purpose) {
  auto order = query::vector_order_of(*purpose.plan, PolicyPaths(*view.index.policy));
  if (!order) return std::nullopt;
  TRY_ASSIGN(Candidates candidates,
             find_candidates(access_for(view, definition, key, purpose), view, std::nullopt, *purpose.environment));
  return VectorUse{std::move(*order), std::move(candidates.numbers), candidates.entries_read};
}

}  // namespace partita
