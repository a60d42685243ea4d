#include "spatial/geometry.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

namespace partita {
namespace {

template <typename T>
using Parsed = std::expected<T, std::string>;

constexpr size_t kRingPositionsMin = 4;

struct KindName {
  std::string_view name;
  Geometry::Kind kind;
};

constexpr auto kKindNames = std::to_array<KindName>({{"Point", Geometry::Kind::kPoint},
                                                     {"MultiPoint", Geometry::Kind::kMultiPoint},
                                                     {"LineString", Geometry::Kind::kLineString},
                                                     {"MultiLineString", Geometry::Kind::kMultiLineString},
                                                     {"Polygon", Geometry::Kind::kPolygon},
                                                     {"MultiPolygon", Geometry::Kind::kMultiPolygon}});

std::unexpected<std::string> bad_form(std::string_view type) {
  return std::unexpected(fmt::format("The {} input is not valid because its coordinates are malformed.", type));
}

// Reads GeoJSON coordinates of one geometry, whose type is for messages.
class CoordinatesReader {
 public:
  explicit CoordinatesReader(std::string_view type) : type_(type) {}

  // Two numbers; what follows, such as a height, is ignored.
  Parsed<Position> position(const Value& value) const {
    if (!value.is_array() || value.size() < 2) return bad_form(type_);
    const Value x = value.element(0);
    const Value y = value.element(1);
    if (!x.is_number() || !y.is_number()) return bad_form(type_);
    return Position{x.number(), y.number()};
  }

  Parsed<PositionList> positions(const Value& value) const {
    if (!value.is_array() || value.size() == 0) return bad_form(type_);
    PositionList list;
    list.reserve(value.size());
    for (size_t i = 0; i < value.size(); ++i) {
      auto next = position(value.element(i));
      if (!next) return std::unexpected(std::move(next).error());
      list.push_back(*next);
    }
    return list;
  }

  Parsed<PositionList> line(const Value& value) const {
    auto list = positions(value);
    if (!list) return list;
    const bool has_length = std::ranges::any_of(*list, [&](const Position& other) { return other != list->front(); });
    if (has_length) return list;
    return std::unexpected(fmt::format(
        "The {} input is not valid because it does not have enough distinct points. A LineString must have at least two distinct "
        "points.",
        type_));
  }

  Parsed<Geometry::Polygon> polygon(const Value& value) const {
    if (!value.is_array() || value.size() == 0) return bad_form(type_);
    Geometry::Polygon rings;
    for (size_t i = 0; i < value.size(); ++i) {
      auto ring = positions(value.element(i));
      if (!ring) return std::unexpected(std::move(ring).error());
      if (auto why = mistake_of_ring(*ring, i + 1)) return std::unexpected(std::move(*why));
      rings.push_back(std::move(*ring));
    }
    return rings;
  }

  // A list of whatever `read` reads.
  template <typename T>
  Parsed<std::vector<T>> list(const Value& value, Parsed<T> (CoordinatesReader::*read)(const Value&) const) const {
    if (!value.is_array() || value.size() == 0) return bad_form(type_);
    std::vector<T> items;
    for (size_t i = 0; i < value.size(); ++i) {
      auto item = (this->*read)(value.element(i));
      if (!item) return std::unexpected(std::move(item).error());
      items.push_back(std::move(*item));
    }
    return items;
  }

 private:
  std::optional<std::string> mistake_of_ring(const PositionList& ring, size_t number) const {
    if (ring.front() != ring.back()) {
      return fmt::format(
          "The {} input is not valid because the start and end points of the ring number {} are not the same. Each ring of a "
          "polygon must have the same start and end points.",
          type_, number);
    }
    if (ring.size() < kRingPositionsMin) {
      return fmt::format(
          "The {} input is not valid because the ring number {} does not have enough points. Each ring of a polygon must contain "
          "at least four points.",
          type_, number);
    }
    return std::nullopt;
  }

  std::string_view type_;
};

template <typename Part>
std::optional<std::string> store(Parsed<Part> part, std::vector<Part>& parts) {
  if (!part) return std::move(part).error();
  parts.push_back(std::move(*part));
  return std::nullopt;
}

template <typename Part>
std::optional<std::string> store_all(Parsed<std::vector<Part>> read, std::vector<Part>& parts) {
  if (!read) return std::move(read).error();
  parts = std::move(*read);
  return std::nullopt;
}

std::optional<std::string> read_coordinates(const Value& coordinates, std::string_view type, Geometry& geometry) {
  const CoordinatesReader reader(type);
  switch (geometry.kind) {
    case Geometry::Kind::kPoint: return store(reader.position(coordinates), geometry.points);
    case Geometry::Kind::kMultiPoint: return store_all(reader.list(coordinates, &CoordinatesReader::position), geometry.points);
    case Geometry::Kind::kLineString: return store(reader.line(coordinates), geometry.lines);
    case Geometry::Kind::kMultiLineString: return store_all(reader.list(coordinates, &CoordinatesReader::line), geometry.lines);
    case Geometry::Kind::kPolygon: return store(reader.polygon(coordinates), geometry.polygons);
    case Geometry::Kind::kMultiPolygon:
      return store_all(reader.list(coordinates, &CoordinatesReader::polygon), geometry.polygons);
  }
  return std::nullopt;
}

}  // namespace

std::expected<Geometry, std::string> Geometry::parse(const Value& geojson) {
  const Value type = geojson.find("type");
  const auto named = std::ranges::find_if(
      kKindNames, [&](const KindName& candidate) { return type.is_string() && type.string() == candidate.name; });
  if (named == kKindNames.end()) {
    return std::unexpected("The input is not valid because its 'type' is not a GeoJSON geometry type that is supported.");
  }
  Geometry geometry;
  geometry.kind = named->kind;
  if (auto why = read_coordinates(geojson.find("coordinates"), named->name, geometry)) return std::unexpected(std::move(*why));
  return geometry;
}

}  // namespace partita
