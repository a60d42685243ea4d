#include "spatial/globe.h"

#include <fmt/format.h>
#include <GeographicLib/Geodesic.hpp>
#include <GeographicLib/PolygonArea.hpp>

#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Weverything"
#include <s2/mutable_s2shape_index.h>
#include <s2/s2boolean_operation.h>
#include <s2/s2closest_edge_query.h>
#include <s2/s2edge_distances.h>
#include <s2/s2latlng.h>
#include <s2/s2lax_polyline_shape.h>
#include <s2/s2loop.h>
#include <s2/s2point_vector_shape.h>
#include <s2/s2polygon.h>
#include <s2/s2region_coverer.h>
#include <s2/s2shape_index_buffered_region.h>
#pragma clang diagnostic pop

namespace partita {
namespace {

using GeographicLib::Geodesic;

// GeographicLib's class for areas computes lengths, too, unless it is told that the figure is closed.
constexpr bool kIsLine = false;

std::optional<std::string> mistake_of_position(const Position& position) {
  if (!(position.y >= -90 && position.y <= 90)) return "Latitude values must be between -90 and 90 degrees.";
  if (!(position.x >= -180 && position.x <= 180)) return "Longitude values must be between -180 and 180 degrees.";
  return std::nullopt;
}

std::optional<std::string> mistake_of_positions(const PositionList& positions) {
  for (const Position& position : positions) {
    if (auto why = mistake_of_position(position)) return why;
  }
  return std::nullopt;
}

S2Point point_of(const Position& position) { return S2LatLng::FromDegrees(position.y, position.x).Normalized().ToPoint(); }

// Neighbours that are the same point are one.
std::vector<S2Point> points_of(const PositionList& positions, bool is_ring) {
  std::vector<S2Point> points;
  for (const Position& position : positions) {
    const S2Point point = point_of(position);
    if (points.empty() || points.back() != point) points.push_back(point);
  }
  if (is_ring && points.size() > 1 && points.front() == points.back()) points.pop_back();
  return points;
}

std::expected<std::unique_ptr<S2Polygon>, std::string> polygon_of(const Geometry::Polygon& rings) {
  std::vector<std::unique_ptr<S2Loop>> loops;
  for (size_t i = 0; i < rings.size(); ++i) {
    auto loop = std::make_unique<S2Loop>();
    loop->set_s2debug_override(S2Debug::DISABLE);
    loop->Init(points_of(rings[i], true));
    S2Error error;
    // A loop of one point is a valid one to the library: the whole globe, or nothing of it.
    if (loop->is_empty_or_full() || loop->FindValidationError(&error)) {
      return std::unexpected(
          fmt::format("The Polygon input is not valid because the ring number {} crosses itself or repeats a point.", i + 1));
    }
    if (i > 0) loop->Normalize();
    loops.push_back(std::move(loop));
  }
  auto polygon = std::make_unique<S2Polygon>();
  polygon->set_s2debug_override(S2Debug::DISABLE);
  const bool is_inverse = !loops.front()->IsNormalized();
  if (is_inverse) {
    for (size_t i = 1; i < loops.size(); ++i) loops[i]->Invert();
    polygon->InitOriented(std::move(loops));
  } else {
    polygon->InitNested(std::move(loops));
  }
  S2Error error;
  if (polygon->FindValidationError(&error)) {
    return std::unexpected("The Polygon input is not valid because its rings cross each other or are not inside each other.");
  }
  return polygon;
}

double geodesic_metres(const S2Point& left, const S2Point& right) {
  const S2LatLng from(left);
  const S2LatLng to(right);
  double metres = 0;
  Geodesic::WGS84().Inverse(from.lat().degrees(), from.lng().degrees(), to.lat().degrees(), to.lng().degrees(), metres);
  return metres;
}

// What lies to the left of the ring.
double area_of_ring(const PositionList& ring) {
  GeographicLib::PolygonArea figure(Geodesic::WGS84(), kIsLine);
  for (size_t i = 0; i + 1 < ring.size(); ++i) figure.AddPoint(ring[i].y, ring[i].x);
  double perimeter = 0;
  double area = 0;
  figure.Compute(false, false, perimeter, area);
  return area;
}

S2BooleanOperation::Options with_boundaries() {
  S2BooleanOperation::Options options;
  options.set_polygon_model(S2BooleanOperation::PolygonModel::CLOSED);
  options.set_polyline_model(S2BooleanOperation::PolylineModel::CLOSED);
  return options;
}

}  // namespace

struct GlobeShape::Index {
  std::vector<std::unique_ptr<S2Polygon>> polygons;  // outlive the edges
  MutableS2ShapeIndex edges;
};

GlobeShape::GlobeShape(Geometry geometry) : geometry_(std::move(geometry)), index_(std::make_unique<Index>()) {}
GlobeShape::~GlobeShape() = default;

std::expected<std::unique_ptr<const GlobeShape>, std::string> GlobeShape::make(Geometry geometry) {
  std::unique_ptr<GlobeShape> shape(new GlobeShape(std::move(geometry)));
  const Geometry& parts = shape->geometry_;
  if (auto why = mistake_of_positions(parts.points)) return std::unexpected(std::move(*why));
  for (const PositionList& line : parts.lines) {
    if (auto why = mistake_of_positions(line)) return std::unexpected(std::move(*why));
    shape->index_->edges.Add(std::make_unique<S2LaxPolylineShape>(points_of(line, false)));
  }
  for (const Geometry::Polygon& rings : parts.polygons) {
    for (const PositionList& ring : rings) {
      if (auto why = mistake_of_positions(ring)) return std::unexpected(std::move(*why));
    }
    auto polygon = polygon_of(rings);
    if (!polygon) return std::unexpected(std::move(polygon).error());
    shape->index_->edges.Add(std::make_unique<S2Polygon::Shape>(polygon->get()));
    shape->index_->polygons.push_back(std::move(*polygon));
  }
  if (!parts.points.empty()) {
    std::vector<S2Point> points;
    for (const Position& position : parts.points) points.push_back(point_of(position));
    shape->index_->edges.Add(std::make_unique<S2PointVectorShape>(std::move(points)));
  }
  shape->index_->edges.ForceBuild();
  return shape;
}

double GlobeShape::area() const {
  const double globe = Geodesic::WGS84().EllipsoidArea();
  double total = 0;
  for (const Geometry::Polygon& rings : geometry_.polygons) {
    double inside = area_of_ring(rings.front());
    // The smaller side of a hole is the hole, whichever way round it goes.
    for (size_t i = 1; i < rings.size(); ++i) {
      const double left = area_of_ring(rings[i]);
      inside -= std::min(left, globe - left);
    }
    total += inside;
  }
  return total;
}

// No two points are nearer to each other on the ellipsoid than on a sphere with its least radius of curvature.
std::vector<CellNumber> GlobeShape::covering(double metres, int cells_max) const {
  constexpr double kLeastRadius = 6335439;
  constexpr double kRounding = 1e-9;  // radians; also for points on the edges of cells
  if (metres == 0 && geometry_.kind == Geometry::Kind::kPoint) return {S2CellId(point_of(geometry_.points[0])).id()};
  S2RegionCoverer coverer;
  coverer.mutable_options()->set_max_cells(cells_max);
  std::vector<S2CellId> cells;
  if (index_->edges.num_shape_ids() > 0 && metres < M_PI * kLeastRadius) {
    const S1Angle radius = S1Angle::Radians(metres / kLeastRadius * (1 + kRounding) + kRounding);
    coverer.GetCovering(S2ShapeIndexBufferedRegion(&index_->edges, radius), &cells);
  }
  if (cells.empty()) {  // beyond everything
    for (int face = 0; face < S2CellId::kNumFaces; ++face) cells.push_back(S2CellId::FromFace(face));
  }
  std::vector<CellNumber> numbers;
  for (const S2CellId cell : cells) numbers.push_back(cell.id());
  return numbers;
}

double distance(const GlobeShape& left, const GlobeShape& right) {
  const Geometry& from = left.geometry_;
  const Geometry& to = right.geometry_;
  if (from.kind == Geometry::Kind::kPoint && to.kind == Geometry::Kind::kPoint) {
    double metres = 0;
    Geodesic::WGS84().Inverse(from.points[0].y, from.points[0].x, to.points[0].y, to.points[0].x, metres);
    return metres;
  }
  // The nearest points on the sphere; how far apart they are is measured on the ellipsoid.
  S2ClosestEdgeQuery query(&left.index_->edges);
  S2ClosestEdgeQuery::ShapeIndexTarget target(&right.index_->edges);
  const auto nearest = query.FindClosestEdge(&target);
  if (nearest.is_empty() || nearest.distance().is_zero() || nearest.is_interior()) return 0;
  const S2Shape::Edge edge = query.GetEdge(nearest);
  S2ClosestEdgeQuery opposite_query(&right.index_->edges);
  S2ClosestEdgeQuery::EdgeTarget edge_target(edge.v0, edge.v1);
  const auto opposite = opposite_query.FindClosestEdge(&edge_target);
  if (opposite.is_interior()) return 0;
  const S2Shape::Edge other = opposite_query.GetEdge(opposite);
  const auto [here, there] = S2::GetEdgePairClosestPoints(edge.v0, edge.v1, other.v0, other.v1);
  return geodesic_metres(here, there);
}

bool intersects(const GlobeShape& left, const GlobeShape& right) {
  return S2BooleanOperation::Intersects(left.index_->edges, right.index_->edges, with_boundaries());
}

bool is_within(const GlobeShape& inner, const GlobeShape& outer) {
  return S2BooleanOperation::Contains(outer.index_->edges, inner.index_->edges, with_boundaries());
}

}  // namespace partita
