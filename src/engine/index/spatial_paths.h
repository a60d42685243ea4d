#pragma once

#include "base/result.h"
#include "document/value.h"
#include "engine/index/path_tree.h"
#include "spatial/shape.h"

#include <optional>

namespace partita {

// SpatialPaths: where documents have shapes that are indexed by the cells that cover them, and how cells divide the space.
struct SpatialPaths {
  PathTree paths;
  Space space = Space::kGlobe;
  PlaneBox box;  // in the plane: around the boxes of all indexes

  // The member 'spatialIndexes' of an indexing policy; nothing when it has none. Those with a bounding box are of the plane.
  // Which types of shapes an index is said to be for does not matter: it has all of them.
  static Result<std::optional<SpatialPaths>> parse(const Value& definition);
};

}  // namespace partita
