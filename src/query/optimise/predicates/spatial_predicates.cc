#include "query/optimise/predicates/spatial_predicates.h"

#include "base/bytes.h"
#include "query/optimise/value_ranges.h"

namespace partita::query {
namespace {

// The two shapes of a call, one of which must be constant.
std::optional<SpatialPredicate> predicate_of_operands(const Scalar& call, double distance) {
  const bool is_left = call.operands[1].is_constant();
  if (!is_left && !call.operands[0].is_constant()) return std::nullopt;
  return SpatialPredicate{.path = &call.operands[is_left ? 0 : 1],
                          .constant = &call.operands[is_left ? 1 : 0],
                          .distance = distance,
                          .space = call.function->in_plane != nullptr ? Space::kGlobe : Space::kPlane};
}

KeyFormRange keys_of(const CellRange& cells) {
  KeyFormRange range;
  append_big_endian(range.from, cells.first);
  append_big_endian(range.to, cells.last + 1);
  return range;
}

}  // namespace

std::optional<SpatialPredicate> distance_predicate(const Scalar& call, Operation operation, const Scalar& limit) {
  const bool is_bounded = operation == Operation::kLess || operation == Operation::kLessEqual || operation == Operation::kEqual;
  if (!is_bounded || call.kind != ScalarKind::kCall || call.function->name != "ST_DISTANCE" || !limit.is_constant()) {
    return std::nullopt;
  }
  const Datum distance = limit.constant_value();
  if (!distance.is_number()) return std::nullopt;
  return predicate_of_operands(call, distance.number());
}

std::optional<SpatialPredicate> meeting_predicate(const Scalar& call) {
  if (call.function->name != "ST_WITHIN" && call.function->name != "ST_INTERSECTS") return std::nullopt;
  return predicate_of_operands(call, 0);
}

Access access_near(const SpatialPredicate& predicate, const ValuePath& path, const IndexedPaths& indexed) {
  if (predicate.distance < 0) return Access::none();
  const Datum constant = predicate.constant->constant_value();
  if (!constant.is_object()) return Access::none();
  const auto shape = Shape::parse(constant.container(), predicate.space);
  if (!shape) return Access::none();
  const std::optional<PlaneBox> box = indexed.cells_at(path, predicate.space);
  if (!box) return Access::all(false);
  Access access{.kind = Access::Kind::kValues, .is_exact = false, .path = path.cells()};
  for (const CellRange& cells : shape->cells_near(predicate.distance, *box)) access.ranges.push_back(keys_of(cells));
  normalise(access.ranges);
  return access;
}

}  // namespace partita::query
