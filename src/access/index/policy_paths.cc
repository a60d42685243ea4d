#include "access/index/policy_paths.h"

#include "engine/index/index_terms.h"

#include <algorithm>

namespace partita {
namespace {

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

}  // namespace

std::optional<query::CompositeEntries> PolicyPaths::composite(std::span<const query::OrderedPath> paths,
                                                              std::span<const query::FixedPath> fixed) const {
  std::optional<query::CompositeEntries> best;
  if (!is_in_plan_order()) return best;
  for (const CompositeIndex& index : policy_.composite_indexes()) {
    if (!has_entries(index, policy_.form()) || !ends_with(index, paths)) continue;
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
    default: return is_in_plan_order() && !path.steps.empty() && policy_.includes(path.steps);
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

}  // namespace partita
