#pragma once

#include "base/result.h"
#include "document/value.h"
#include "engine/index/index_path.h"

#include <cstddef>
#include <vector>

namespace partita {

inline constexpr size_t kCompositeIndexesMax = 100;
inline constexpr size_t kCompositePathsMin = 2;
inline constexpr size_t kCompositePathsMax = 8;

// CompositeIndex: several paths whose values are sorted together, each in its own direction.
struct CompositeIndex {
  struct Part {
    IndexPath path;
    bool is_descending = false;

    bool operator==(const Part&) const = default;
  };

  std::vector<Part> parts;

  bool operator==(const CompositeIndex&) const = default;
};

// The member 'compositeIndexes' of an indexing policy; undefined and null are an empty list.
Result<std::vector<CompositeIndex>> parse_composite_indexes(const Value& definition);

}  // namespace partita
