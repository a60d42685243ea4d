#include "engine/index/composite_index.h"

#include <fmt/format.h>

#include <algorithm>

namespace partita {
namespace {

std::unexpected<Error> bad_composite(std::string_view why) {
  return fail(ErrorCode::kInvalidInput, fmt::format("The indexing policy's 'compositeIndexes' {}.", why));
}

Result<CompositeIndex::Part> parse_part(const Value& definition) {
  const Value path = definition.find("path");
  if (!path.is_string()) return bad_composite("has an entry without a string 'path'");
  TRY_ASSIGN(IndexPath parsed, IndexPath::parse_bare(path.string()));
  const Value order = definition.find("order");
  if (order.is_undefined() || order.is_null()) return CompositeIndex::Part{std::move(parsed), false};
  const bool is_descending = order.is_string() && order.string() == "descending";
  if (!is_descending && !(order.is_string() && order.string() == "ascending")) {
    return bad_composite("has an 'order' that is neither ascending nor descending");
  }
  return CompositeIndex::Part{std::move(parsed), is_descending};
}

Result<CompositeIndex> parse_composite_index(const Value& definition) {
  if (!definition.is_array()) return bad_composite("must be an array of arrays of paths");
  if (definition.size() < kCompositePathsMin || definition.size() > kCompositePathsMax) {
    return bad_composite(fmt::format("has an index of {} paths; there must be {} to {}", definition.size(), kCompositePathsMin,
                                     kCompositePathsMax));
  }
  CompositeIndex index;
  for (size_t i = 0; i < definition.size(); ++i) {
    TRY_ASSIGN(CompositeIndex::Part part, parse_part(definition.element(i)));
    if (std::ranges::find(index.parts, part.path, &CompositeIndex::Part::path) != index.parts.end()) {
      return bad_composite(
          fmt::format("has an index that names the path '{}' twice", definition.element(i).find("path").string()));
    }
    index.parts.push_back(std::move(part));
  }
  return index;
}

}  // namespace

Result<std::vector<CompositeIndex>> parse_composite_indexes(const Value& definition) {
  std::vector<CompositeIndex> indexes;
  if (definition.is_undefined() || definition.is_null()) return indexes;
  if (!definition.is_array()) return bad_composite("must be an array of arrays of paths");
  if (definition.size() > kCompositeIndexesMax) return bad_composite(fmt::format("has more than {}", kCompositeIndexesMax));
  for (size_t i = 0; i < definition.size(); ++i) {
    TRY_ASSIGN(CompositeIndex index, parse_composite_index(definition.element(i)));
    if (std::ranges::find(indexes, index) != indexes.end()) return bad_composite("has the same index twice");
    indexes.push_back(std::move(index));
  }
  return indexes;
}

}  // namespace partita
