#pragma once

#include "query/optimise/access.h"
#include "query/plan/scalar.h"

#include <optional>

namespace partita::query {

// SpatialPredicate: the shape that an expression gives has a point at most this far from a constant one. Refers to the plan.
struct SpatialPredicate {
  const Scalar* path = nullptr;  // gives the shape; whether it is a path, somebody else has to find out
  const Scalar* constant = nullptr;
  double distance = 0;
  Space space = Space::kGlobe;
};

// Of a comparison of ST_DISTANCE with a constant.
std::optional<SpatialPredicate> distance_predicate(const Scalar& call, Operation operation, const Scalar& limit);
// Of ST_WITHIN and ST_INTERSECTS.
std::optional<SpatialPredicate> meeting_predicate(const Scalar& call);

// The documents that may meet the predicate with the shape at this path.
Access access_near(const SpatialPredicate& predicate, const ValuePath& path, const IndexedPaths& indexed);

}  // namespace partita::query
