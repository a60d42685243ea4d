#include "spatial/shape.h"

#include "spatial/globe.h"
#include "spatial/plane.h"

namespace partita {

Shape::Shape(std::unique_ptr<const GlobeShape> globe) : globe_(std::move(globe)) {}
Shape::Shape(std::unique_ptr<const PlaneShape> plane) : plane_(std::move(plane)) {}
Shape::~Shape() = default;
Shape::Shape(Shape&&) noexcept = default;
Shape& Shape::operator=(Shape&&) noexcept = default;

std::expected<Shape, std::string> Shape::parse(const Value& geojson, Space space) {
  auto geometry = Geometry::parse(geojson);
  if (!geometry) return std::unexpected(std::move(geometry).error());
  if (space == Space::kGlobe) {
    auto globe = GlobeShape::make(std::move(*geometry));
    if (!globe) return std::unexpected(std::move(globe).error());
    return Shape(std::move(*globe));
  }
  auto plane = PlaneShape::make(std::move(*geometry));
  if (!plane) return std::unexpected(std::move(plane).error());
  return Shape(std::move(*plane));
}

double Shape::area() const { return globe_ ? globe_->area() : plane_->area(); }

std::vector<CellNumber> Shape::covering(const PlaneBox& box) const {
  constexpr int kCellsMax = 8;
  constexpr uint32_t kStepsMax = 1;
  return globe_ ? globe_->covering(0, kCellsMax) : plane_->covering(0, box, kStepsMax);
}

std::vector<CellRange> Shape::cells_near(double distance, const PlaneBox& box) const {
  constexpr int kCellsMax = 16;
  constexpr uint32_t kStepsMax = 3;
  return cells_touching(globe_ ? globe_->covering(distance, kCellsMax) : plane_->covering(distance, box, kStepsMax));
}

double distance(const Shape& left, const Shape& right, const KeepGoing& keep_going) {
  return left.globe_ ? distance(*left.globe_, *right.globe_) : distance(*left.plane_, *right.plane_, keep_going);
}

bool intersects(const Shape& left, const Shape& right, const KeepGoing& keep_going) {
  return left.globe_ ? intersects(*left.globe_, *right.globe_) : distance(*left.plane_, *right.plane_, keep_going) == 0;
}

bool is_within(const Shape& inner, const Shape& outer, const KeepGoing& keep_going) {
  return inner.globe_ ? is_within(*inner.globe_, *outer.globe_) : is_within(*inner.plane_, *outer.plane_, keep_going);
}

}  // namespace partita
