#include "spatial/plane.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

namespace partita {
namespace {

struct Edge {
  Position from;
  Position to;  // the same as from: a point
};

Position operator-(const Position& left, const Position& right) { return {left.x - right.x, left.y - right.y}; }
double dot(const Position& left, const Position& right) { return left.x * right.x + left.y * right.y; }
double cross(const Position& left, const Position& right) { return left.x * right.y - left.y * right.x; }

// Positive when c lies to the left of the line from a to b.
double turn(const Position& a, const Position& b, const Position& c) { return cross(b - a, c - a); }

double distance_to_edge(const Position& point, const Edge& edge) {
  const Position along = edge.to - edge.from;
  const double length = dot(along, along);
  const double part = length == 0 ? 0 : std::clamp(dot(point - edge.from, along) / length, 0.0, 1.0);
  const Position nearest{edge.from.x + part * along.x, edge.from.y + part * along.y};
  return std::hypot(point.x - nearest.x, point.y - nearest.y);
}

// The edges have a point in common that is inside of both.
bool do_cross(const Edge& left, const Edge& right) {
  const double a = turn(left.from, left.to, right.from);
  const double b = turn(left.from, left.to, right.to);
  const double c = turn(right.from, right.to, left.from);
  const double d = turn(right.from, right.to, left.to);
  return ((a > 0 && b < 0) || (a < 0 && b > 0)) && ((c > 0 && d < 0) || (c < 0 && d > 0));
}

bool is_on(const Position& point, const Edge& edge) {
  const auto [x_least, x_most] = std::minmax(edge.from.x, edge.to.x);
  const auto [y_least, y_most] = std::minmax(edge.from.y, edge.to.y);
  return point.x >= x_least && point.x <= x_most && point.y >= y_least && point.y <= y_most &&
         turn(edge.from, edge.to, point) == 0;
}

bool do_meet(const Edge& left, const Edge& right) {
  return do_cross(left, right) || is_on(left.from, right) || is_on(left.to, right) || is_on(right.from, left) ||
         is_on(right.to, left);
}

double edge_distance(const Edge& left, const Edge& right) {
  if (do_cross(left, right)) return 0;
  return std::min({distance_to_edge(left.from, right), distance_to_edge(left.to, right), distance_to_edge(right.from, left),
                   distance_to_edge(right.to, left)});
}

void append_edges(std::vector<Edge>& edges, const PositionList& positions) {
  for (size_t i = 0; i + 1 < positions.size(); ++i) edges.push_back({positions[i], positions[i + 1]});
}

std::vector<Edge> edges_of(const Geometry& geometry) {
  std::vector<Edge> edges;
  for (const Position& point : geometry.points) edges.push_back({point, point});
  for (const PositionList& line : geometry.lines) append_edges(edges, line);
  for (const Geometry::Polygon& polygon : geometry.polygons) {
    for (const PositionList& ring : polygon) append_edges(edges, ring);
  }
  return edges;
}

// Twice the area, positive for a ring that goes counter-clockwise.
double doubled_area(const PositionList& ring) {
  double sum = 0;
  for (size_t i = 0; i + 1 < ring.size(); ++i) sum += cross(ring[i] - ring[0], ring[i + 1] - ring[0]);
  return sum;
}

// Boundaries belong to the ring.
bool is_in_ring(const Position& point, const PositionList& ring, bool counts_boundary) {
  bool is_inside = false;
  for (size_t i = 0; i + 1 < ring.size(); ++i) {
    const Edge edge{ring[i], ring[i + 1]};
    if (distance_to_edge(point, edge) == 0) return counts_boundary;
    const bool spans = (edge.from.y > point.y) != (edge.to.y > point.y);
    if (!spans) continue;
    const double x = edge.from.x + (point.y - edge.from.y) / (edge.to.y - edge.from.y) * (edge.to.x - edge.from.x);
    if (point.x < x) is_inside = !is_inside;
  }
  return is_inside;
}

bool is_in_polygon(const Position& point, const Geometry::Polygon& rings) {
  if (!is_in_ring(point, rings.front(), true)) return false;
  return std::none_of(rings.begin() + 1, rings.end(), [&](const PositionList& hole) { return is_in_ring(point, hole, false); });
}

bool is_inside(const Position& point, const Geometry& outer) {
  const auto covers = [&](const Geometry::Polygon& rings) { return is_in_polygon(point, rings); };
  if (std::ranges::any_of(outer.polygons, covers)) return true;
  for (const PositionList& line : outer.lines) {
    for (size_t i = 0; i + 1 < line.size(); ++i) {
      if (distance_to_edge(point, {line[i], line[i + 1]}) == 0) return true;
    }
  }
  return std::ranges::find(outer.points, point) != outer.points.end();
}

// Where along the edge (0 to 1) it meets the other edge, if at all.
void append_meetings(const Edge& edge, const Edge& other, std::vector<double>& parts) {
  const Position along = edge.to - edge.from;
  const Position across = other.to - other.from;
  const double slope = cross(along, across);
  const double length = dot(along, along);
  if (length == 0) return;
  if (slope != 0) {
    const double part = cross(other.from - edge.from, across) / slope;
    if (part > 0 && part < 1) parts.push_back(part);
    return;
  }
  for (const Position& end : {other.from, other.to}) {
    const double part = dot(end - edge.from, along) / length;
    if (part > 0 && part < 1) parts.push_back(part);
  }
}

// The edge is cut where it meets the outer shape; each piece is inside or outside as a whole, so its middle decides.
bool is_edge_within(const Edge& edge, const Geometry& outer, const std::vector<Edge>& outer_edges, const KeepGoing& keep_going) {
  std::vector<double> parts = {0, 1};
  for (const Edge& other : outer_edges) append_meetings(edge, other, parts);
  std::ranges::sort(parts);
  if (!is_inside(edge.from, outer) || !is_inside(edge.to, outer)) return false;
  for (size_t i = 0; i + 1 < parts.size() && keep_going(); ++i) {
    const double part = (parts[i] + parts[i + 1]) / 2;
    const Position middle{edge.from.x + part * (edge.to.x - edge.from.x), edge.from.y + part * (edge.to.y - edge.from.y)};
    if (!is_inside(middle, outer)) return false;
  }
  return true;
}

// In a ring of so many edges.
bool follow_each_other(size_t left, size_t right, size_t edges) {
  const size_t apart = left < right ? right - left : left - right;
  return apart == 1 || apart + 1 == edges;
}

// Rings of so many edges are compared edge by edge; larger ones are swept.
constexpr size_t kComparedEdgesMax = 150;

// An edge while a line is swept over the ring. Coordinates are sheared, so that hardly any edge is upright.
struct SweptEdge {
  Position left;
  Position right;
  size_t place;  // in the ring

  double y_at(double x) const {
    if (x <= left.x) return left.y;
    if (x >= right.x) return right.y;
    return left.y + (x - left.x) / (right.x - left.x) * (right.y - left.y);
  }
  // Which of two edges is below the other where the later one begins; as long as none cross, that does not change.
  bool operator<(const SweptEdge& other) const {
    const double x = std::max(left.x, other.left.x);
    const double y = y_at(x);
    const double other_y = other.y_at(x);
    if (y != other_y) return y < other_y;
    const double steeper = cross(right - left, other.right - other.left);
    return steeper != 0 ? steeper > 0 : place < other.place;
  }
};

SweptEdge swept(const Edge& edge, size_t place) {
  constexpr double kShear = 0.7548776662466927;
  const Position from{edge.from.x + kShear * edge.from.y, edge.from.y};
  const Position to{edge.to.x + kShear * edge.to.y, edge.to.y};
  return from.x <= to.x ? SweptEdge{from, to, place} : SweptEdge{to, from, place};
}

// RingSweep: finds out whether edges of a ring meet that do not follow each other, in the order of n log n (Shamos and Hoey).
// Before the first two meet, they lie next to each other among the edges under the line.
class RingSweep {
 public:
  explicit RingSweep(const std::vector<Edge>& edges) : edges_(edges), under_line_at_(edges.size()) {}

  bool finds_meeting() {
    std::vector<Event> events;
    events.reserve(2 * edges_.size());
    for (size_t i = 0; i < edges_.size(); ++i) {
      const SweptEdge edge = swept(edges_[i], i);
      events.push_back({edge.left.x, false, i});
      events.push_back({edge.right.x, true, i});
    }
    // What begins where another ends comes first, so that they are seen together.
    std::ranges::sort(events, [](const Event& a, const Event& b) { return std::tie(a.x, a.is_end) < std::tie(b.x, b.is_end); });
    return std::ranges::any_of(events,
                               [&](const Event& event) { return event.is_end ? ends(event.place) : begins(event.place); });
  }

 private:
  using UnderLine = std::set<SweptEdge>;
  struct Event {
    double x;
    bool is_end;
    size_t place;
  };

  bool begins(size_t place) {
    const auto at = under_line_.insert(swept(edges_[place], place)).first;
    under_line_at_[place] = at;
    const auto above = std::next(at);
    return (at != under_line_.begin() && meet(*std::prev(at), *at)) || (above != under_line_.end() && meet(*at, *above));
  }

  bool ends(size_t place) {
    const auto at = under_line_at_[place];
    const auto above = std::next(at);
    const bool is_between = at != under_line_.begin() && above != under_line_.end();
    const bool found = is_between && meet(*std::prev(at), *above);
    under_line_.erase(at);
    return found;
  }

  bool meet(const SweptEdge& left, const SweptEdge& right) const {
    return !follow_each_other(left.place, right.place, edges_.size()) && do_meet(edges_[left.place], edges_[right.place]);
  }

  const std::vector<Edge>& edges_;
  UnderLine under_line_;
  std::vector<UnderLine::iterator> under_line_at_;  // by place
};

bool crosses_itself(const PositionList& ring) {
  std::vector<Edge> edges;
  append_edges(edges, ring);
  if (edges.size() > kComparedEdgesMax) {
    const auto is_point = [](const Edge& edge) { return edge.from == edge.to; };  // at which those beside it meet
    return std::ranges::any_of(edges, is_point) || RingSweep(edges).finds_meeting();
  }
  for (size_t i = 0; i < edges.size(); ++i) {
    for (size_t j = i + 1; j < edges.size(); ++j) {
      if (!follow_each_other(i, j, edges.size()) && do_meet(edges[i], edges[j])) return true;
    }
  }
  return false;
}

}  // namespace

PlaneShape::PlaneShape(Geometry geometry) : geometry_(std::move(geometry)) {}

std::expected<std::unique_ptr<const PlaneShape>, std::string> PlaneShape::make(Geometry geometry) {
  for (const Geometry::Polygon& rings : geometry.polygons) {
    for (size_t i = 0; i < rings.size(); ++i) {
      if (doubled_area(rings[i]) != 0 && !crosses_itself(rings[i])) continue;
      return std::unexpected(
          fmt::format("The Polygon input is not valid because the ring number {} crosses itself or repeats a point.", i + 1));
    }
  }
  return std::unique_ptr<const PlaneShape>(new PlaneShape(std::move(geometry)));
}

double PlaneShape::area() const {
  double total = 0;
  for (const Geometry::Polygon& rings : geometry_.polygons) {
    total += std::abs(doubled_area(rings.front())) / 2;
    for (size_t i = 1; i < rings.size(); ++i) total -= std::abs(doubled_area(rings[i])) / 2;
  }
  return total;
}

std::vector<CellNumber> PlaneShape::covering(double distance, const PlaneBox& box, uint32_t steps_max) const {
  constexpr double kRounding = 1e-9;  // of what is computed from coordinates
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  Position least{kInfinity, kInfinity};
  Position most{-kInfinity, -kInfinity};
  for (const Edge& edge : edges_of(geometry_)) {
    for (const Position& end : {edge.from, edge.to}) {
      least = {std::min(least.x, end.x), std::min(least.y, end.y)};
      most = {std::max(most.x, end.x), std::max(most.y, end.y)};
    }
  }
  const double size = std::max({std::abs(least.x), std::abs(least.y), std::abs(most.x), std::abs(most.y)});
  const double margin = distance + kRounding * (distance + size);
  return cells_between({least.x - margin, least.y - margin}, {most.x + margin, most.y + margin}, box, steps_max);
}

double distance(const PlaneShape& left, const PlaneShape& right, const KeepGoing& keep_going) {
  const std::vector<Edge> left_edges = edges_of(left.geometry_);
  const std::vector<Edge> right_edges = edges_of(right.geometry_);
  // Without a common edge point, one is inside the other with everything it has, or nothing is.
  for (const Edge& edge : left_edges) {
    if (is_inside(edge.from, right.geometry_) || !keep_going()) return 0;
  }
  for (const Edge& edge : right_edges) {
    if (is_inside(edge.from, left.geometry_) || !keep_going()) return 0;
  }
  double nearest = std::numeric_limits<double>::infinity();
  for (const Edge& edge : left_edges) {
    for (const Edge& other : right_edges) nearest = std::min(nearest, edge_distance(edge, other));
    if (!keep_going()) break;
  }
  return nearest;
}

bool is_within(const PlaneShape& inner, const PlaneShape& outer, const KeepGoing& keep_going) {
  const std::vector<Edge> outer_edges = edges_of(outer.geometry_);
  for (const Edge& edge : edges_of(inner.geometry_)) {
    if (!keep_going() || !is_edge_within(edge, outer.geometry_, outer_edges, keep_going)) return false;
  }
  // A hole of the outer shape may lie inside the inner one without any edge crossing it.
  for (const Geometry::Polygon& rings : outer.geometry_.polygons) {
    for (size_t i = 1; i < rings.size(); ++i) {
      for (const Geometry::Polygon& covered : inner.geometry_.polygons) {
        const bool is_covered =
            std::ranges::all_of(rings[i], [&](const Position& p) { return keep_going() && is_in_polygon(p, covered); });
        if (is_covered) return false;
      }
    }
  }
  return inner.geometry_.polygons.empty() || !outer.geometry_.polygons.empty();
}

}  // namespace partita
