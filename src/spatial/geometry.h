#pragma once

#include "document/value.h"

#include <cstdint>
#include <expected>
#include <functional>
#include <string>
#include <vector>

namespace partita {

// Asked now and then by what may take long; false: nobody wants the answer any more.
using KeepGoing = std::function<bool()>;

// On the globe x is the longitude and y the latitude, in degrees.
struct Position {
  double x = 0;
  double y = 0;

  bool operator==(const Position&) const = default;
};

using PositionList = std::vector<Position>;

// Geometry: what a GeoJSON value says, of one of its kinds. Rings repeat their first position at their end.
struct Geometry {
  enum class Kind : uint8_t { kPoint, kMultiPoint, kLineString, kMultiLineString, kPolygon, kMultiPolygon };
  // The first ring is the outer one.
  using Polygon = std::vector<PositionList>;

  Kind kind = Kind::kPoint;
  PositionList points;
  std::vector<PositionList> lines;
  std::vector<Polygon> polygons;

  // The error says what is wrong, as ST_ISVALIDDETAILED does. What is checked is the form: that rings are closed and lines have
  // two different positions, but not whether anything crosses itself.
  static std::expected<Geometry, std::string> parse(const Value& geojson);
};

}  // namespace partita
