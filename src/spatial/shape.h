#pragma once

#include "document/value.h"
#include "spatial/cells.h"
#include "spatial/geometry.h"

#include <cstdint>
#include <expected>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace partita {

// What coordinates mean.
enum class Space : uint8_t {
  kGlobe,  // degrees on the WGS 84 ellipsoid; metres and square metres
  kPlane,  // numbers without a unit
};

class GlobeShape;
class PlaneShape;

// Shape: a valid geometry in its space. Immutable once made, so freely shared.
class Shape {
 public:
  // The error says what is wrong, as ST_ISVALIDDETAILED does.
  static std::expected<Shape, std::string> parse(const Value& geojson, Space space);

  ~Shape();
  Shape(Shape&&) noexcept;
  Shape& operator=(Shape&&) noexcept;

  // Points and lines have none.
  double area() const;

  // Cells that together cover the shape: what an index keeps of it. `box` matters in the plane only.
  std::vector<CellNumber> covering(const PlaneBox& box) const;
  // Every shape with a point at most this far away has one of its covering cells in one of these ranges. So has this one.
  std::vector<CellRange> cells_near(double distance, const PlaneBox& box) const;

  // REQUIRES of all: both shapes are of one space. In the plane they take as long as the product of their edges; once
  // `keep_going` says no, what they return means nothing.
  // 0 when they have a point in common.
  friend double distance(const Shape& left, const Shape& right, const KeepGoing& keep_going);
  friend bool intersects(const Shape& left, const Shape& right, const KeepGoing& keep_going);
  friend bool is_within(const Shape& inner, const Shape& outer, const KeepGoing& keep_going);

 private:
  explicit Shape(std::unique_ptr<const GlobeShape> globe);
  explicit Shape(std::unique_ptr<const PlaneShape> plane);

  std::unique_ptr<const GlobeShape> globe_;  // one of them
  std::unique_ptr<const PlaneShape> plane_;
};

}  // namespace partita
