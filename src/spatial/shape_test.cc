#include "spatial/shape.h"

#include "document/json/json.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <random>
#include <string>
#include <vector>

namespace partita {
namespace {

std::expected<Shape, std::string> plane_polygon(const std::string& ring) {
  return Shape::parse(Value::view(*stored_from_json(R"({"type":"Polygon","coordinates":[[)" + ring + "]]}")), Space::kPlane);
}

std::string error_of(const std::expected<Shape, std::string>& shape) { return shape ? "valid" : shape.error(); }

// Of a star, concave at every second one.
Position corner(int i, int spikes) {
  const double angle = std::numbers::pi * (i % (2 * spikes)) / spikes;
  const double radius = i % 2 == 0 ? 100 : 90;
  return {radius * std::cos(angle), radius * std::sin(angle)};
}

std::string star(int spikes) {
  std::string ring;
  for (int i = 0; i <= 2 * spikes; ++i) {
    const Position at = corner(i, spikes);
    ring += fmt::format("{}[{},{}]", i == 0 ? "" : ",", at.x, at.y);
  }
  return ring;
}

struct WholePosition {
  int64_t x;
  int64_t y;
};

int turn(const WholePosition& a, const WholePosition& b, const WholePosition& c) {
  const int64_t doubled = (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
  return doubled > 0 ? 1 : doubled < 0 ? -1 : 0;
}

bool is_on(const WholePosition& point, const WholePosition& from, const WholePosition& to) {
  return turn(from, to, point) == 0 && std::min(from.x, to.x) <= point.x && point.x <= std::max(from.x, to.x) &&
         std::min(from.y, to.y) <= point.y && point.y <= std::max(from.y, to.y);
}

bool meets_itself(const std::vector<WholePosition>& corners) {
  const size_t count = corners.size();
  for (size_t i = 0; i < count; ++i) {
    for (size_t j = i + 2; j < count && !(i == 0 && j + 1 == count); ++j) {
      const WholePosition &a = corners[i], &b = corners[i + 1], &c = corners[j], &d = corners[(j + 1) % count];
      if (turn(a, b, c) * turn(a, b, d) < 0 && turn(c, d, a) * turn(c, d, b) < 0) return true;
      if (is_on(a, c, d) || is_on(b, c, d) || is_on(c, a, b) || is_on(d, a, b)) return true;
    }
  }
  return false;
}

// Its teeth all lie beside each other, aslant, so that the rectangles around them overlap.
std::string slanting_comb(int teeth) {
  std::string ring;
  for (int i = 0; i < teeth; ++i) ring += fmt::format("[{},0],[{},{}],", i, 1'000'000.5 + i, 1'000'000);
  return ring + fmt::format("[{},-1],[0,-1],[0,0]", teeth);
}

}  // namespace

// A loop of one point would be the whole globe, or nothing of it, to the library.
TEST(Shape, HasNoRingThatEnclosesNothing) {
  for (const char* ring : {"[[1,1],[1,1],[1,1],[1,1]]", "[[1,-1],[1,-1],[1,-1],[1,-1]]", "[[1,-1],[2,-1],[2,-1],[1,-1]]"}) {
    const std::string json = R"({"type":"Polygon","coordinates":[)" + std::string(ring) + "]}";
    for (const Space space : {Space::kGlobe, Space::kPlane}) {
      EXPECT_FALSE(Shape::parse(Value::view(*stored_from_json(json)), space)) << json;
    }
  }
}

// To compare every edge with every other would take minutes.
TEST(Shape, OfVeryManyEdgesIsJudgedSoon) {
  constexpr int kSpikes = 100'000;
  EXPECT_TRUE(plane_polygon(star(kSpikes)));
  EXPECT_TRUE(plane_polygon(slanting_comb(kSpikes)));
  std::string crossing = star(kSpikes);
  crossing.replace(0, crossing.find("],") + 2, "[100,0],[0,-200],[-200,0],");
  EXPECT_THAT(error_of(plane_polygon(crossing)), testing::HasSubstr("crosses itself"));
}

// Large enough to be swept, in whole numbers, so that it can be decided exactly; one corner is moved to where edges meet or
// nearly do.
TEST(Shape, IsJudgedAsByComparingAllEdges) {
  std::minstd_rand chance(1);
  int valid = 0;
  constexpr int kRounds = 500;
  for (int round = 0; round < kRounds; ++round) {
    std::vector<WholePosition> corners;
    constexpr int kSpikes = 80;
    for (int i = 0; i < 2 * kSpikes; ++i) {
      const Position at = corner(i, kSpikes);
      corners.push_back({std::llround(at.x * 20), std::llround(at.y * 20)});
    }
    const size_t moved = chance() % corners.size();
    const WholePosition target = corners[chance() % corners.size()];
    const WholePosition other = corners[(moved + chance() % 8) % corners.size()];
    switch (chance() % 4) {
      case 0: corners[moved] = target; break;
      case 1: corners[moved] = {(target.x + other.x) / 2, (target.y + other.y) / 2}; break;
      case 2: corners[moved].x += static_cast<int64_t>(chance() % 400) - 200; break;
      default: corners[moved] = {corners[moved].x + target.x / 4, corners[moved].y + target.y / 4}; break;
    }
    std::string ring;
    for (const WholePosition& at : corners) ring += fmt::format("[{},{}],", at.x, at.y);
    ring += fmt::format("[{},{}]", corners[0].x, corners[0].y);
    const bool is_valid = !meets_itself(corners);
    valid += is_valid ? 1 : 0;
    EXPECT_EQ(error_of(plane_polygon(ring)) == "valid", is_valid) << ring;
  }
  EXPECT_GT(valid, kRounds / 10);
  EXPECT_LT(valid, kRounds * 9 / 10);
}

TEST(Shape, IsComparedWithAnotherOnlyAsLongAsSomebodyWaits) {
  const auto large = plane_polygon(star(20'000));
  const auto far_away = plane_polygon("[1000,1000],[1001,1000],[1001,1001],[1000,1000]");
  ASSERT_TRUE(large && far_away);
  int asked = 0;
  const auto soon_over = [&] { return ++asked < 10; };
  (void)is_within(*large, *large, soon_over);
  EXPECT_LE(asked, 20);
  asked = 0;
  (void)distance(*large, *far_away, soon_over);
  EXPECT_LE(asked, 20);
}

}  // namespace partita
