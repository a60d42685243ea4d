#pragma once

#include "spatial/cells.h"
#include "spatial/geometry.h"

#include <expected>
#include <memory>
#include <string>
#include <vector>

namespace partita {

// PlaneShape: a valid geometry in the plane. Immutable.
class PlaneShape {
 public:
  static std::expected<std::unique_ptr<const PlaneShape>, std::string> make(Geometry geometry);

  double area() const;
  // Cells that cover the rectangle around everything within this distance of the shape.
  std::vector<CellNumber> covering(double distance, const PlaneBox& box, uint32_t steps_max) const;

  // 0 when they have a point in common. Compares every edge with every edge.
  friend double distance(const PlaneShape& left, const PlaneShape& right, const KeepGoing& keep_going);
  friend bool is_within(const PlaneShape& inner, const PlaneShape& outer, const KeepGoing& keep_going);

 private:
  explicit PlaneShape(Geometry geometry);

  Geometry geometry_;
};

}  // namespace partita
