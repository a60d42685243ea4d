#include "spatial/cells.h"

#include "document/json/json.h"
#include "spatial/shape.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <string>

namespace partita {
namespace {

constexpr PlaneBox kBox{{-180, -90}, {180, 90}};

Shape shape_of(const std::string& json, Space space) {
  auto shape = Shape::parse(Value::view(*stored_from_json(json)), space);
  EXPECT_TRUE(shape) << json << (shape ? "" : shape.error());
  return *std::move(shape);
}

bool is_among(CellNumber cell, const std::vector<CellRange>& ranges) {
  return std::ranges::any_of(ranges, [&](const CellRange& range) { return range.first <= cell && cell <= range.last; });
}

bool is_found(const Shape& kept, const Shape& sought, double distance) {
  const std::vector<CellRange> ranges = sought.cells_near(distance, kBox);
  return std::ranges::any_of(kept.covering(kBox), [&](CellNumber cell) { return is_among(cell, ranges); });
}

// Points, lines and polygons of any size anywhere, also around poles and across the antimeridian.
class RandomShapes {
 public:
  std::string next() {
    const double size = std::pow(10, between(-4, 1));
    const double x = between(-180, 180 - size);
    const double y = between(-90, 90 - size);
    switch (random_() % 4) {
      case 0: return fmt::format(R"({{"type":"Point","coordinates":[{},{}]}})", x, y);
      case 1: return fmt::format(R"({{"type":"LineString","coordinates":[[{},{}],[{},{}]]}})", x, y, x + size, y + size);
      case 2: return fmt::format(R"({{"type":"MultiPoint","coordinates":[[{},{}],[{},{}]]}})", x, y, -x, -y);
      default:
        return fmt::format(R"({{"type":"Polygon","coordinates":[[[{0},{1}],[{2},{1}],[{2},{3}],[{0},{1}]]]}})", x, y, x + size,
                           y + size);
    }
  }
  double between(double least, double most) { return std::uniform_real_distribution(least, most)(random_); }

 private:
  std::mt19937_64 random_{7};
};

}  // namespace

TEST(Cells, OfNearShapesMeet) {
  RandomShapes shapes;
  size_t found = 0;
  for (const Space space : {Space::kGlobe, Space::kPlane}) {
    for (int i = 0; i < 100; ++i) {
      const std::string texts[] = {shapes.next(), shapes.next()};
      const Shape kept = shape_of(texts[0], space);
      const Shape sought = shape_of(texts[1], space);
      const double apart = distance(kept, sought, [] { return true; });
      EXPECT_TRUE(is_found(kept, sought, apart)) << texts[0] << " is " << apart << " from " << texts[1];
      EXPECT_TRUE(is_found(kept, kept, 0)) << texts[0];
      found += is_found(kept, sought, apart / 4) ? 1 : 0;
    }
  }
  EXPECT_LT(found, 100U);  // of 200 that are too far away
}

TEST(Cells, OutsideTheBoxAreAtItsEdge) {
  const Shape far = shape_of(R"({"type":"Point","coordinates":[1e9,0]})", Space::kPlane);
  const Shape near = shape_of(R"({"type":"Point","coordinates":[0,0]})", Space::kPlane);
  EXPECT_TRUE(is_found(far, far, 0));
  EXPECT_FALSE(is_found(far, near, 1));
  EXPECT_TRUE(is_found(far, near, 1e10));
}

// Its sides are numbers, but how far apart they are is none.
TEST(Cells, AreFoundInABoxThatIsTooWideToBeMeasured) {
  constexpr double kMost = std::numeric_limits<double>::max();
  constexpr PlaneBox kWide{{-kMost, -kMost}, {kMost, kMost}};
  const Shape far = shape_of(R"({"type":"Point","coordinates":[1.7e308,-1.7e308]})", Space::kPlane);
  const std::vector<CellRange> ranges = far.cells_near(1e308, kWide);
  for (const CellNumber cell : far.covering(kWide)) EXPECT_TRUE(is_among(cell, ranges));
}

TEST(Cells, CoverTheWholeGlobeForDistancesBeyondIt) {
  const Shape here = shape_of(R"({"type":"Point","coordinates":[0,0]})", Space::kGlobe);
  const Shape there = shape_of(R"({"type":"Point","coordinates":[180,0]})", Space::kGlobe);
  EXPECT_TRUE(is_found(here, there, 1e8));
  EXPECT_FALSE(is_found(here, there, 1e6));
}

TEST(CellsTouching, AreThoseInsideAndAround) {
  const CellNumber whole = CellNumber{1} << 60;
  const std::vector<CellNumber> quarters = cells_between({-179, -89}, {-1, -1}, kBox, 0);
  ASSERT_EQ(quarters.size(), 1U);
  EXPECT_EQ(quarters[0], whole >> 2);
  EXPECT_EQ(cells_touching(quarters), (std::vector<CellRange>{{1, (whole >> 1) - 1}, {whole, whole}}));
}

}  // namespace partita
