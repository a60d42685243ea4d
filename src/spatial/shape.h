#pragma once

#include "document/value.h"
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

  // REQUIRES of all: both shapes are of one space.
  // 0 when they have a point in common.
  friend double distance(const Shape& left, const Shape& right);
  friend bool intersects(const Shape& left, const Shape& right);
  friend bool is_within(const Shape& inner, const Shape& outer);

 private:
  explicit Shape(std::unique_ptr<const GlobeShape> globe);
  explicit Shape(std::unique_ptr<const PlaneShape> plane);

  std::unique_ptr<const GlobeShape> globe_;  // one of them
  std::unique_ptr<const PlaneShape> plane_;
};

}  // namespace partita
