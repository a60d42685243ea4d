#pragma once

#include <fmt/format.h>

#include <random>
#include <string>

// For tests: GeoJSON at random, so crowded that shapes meet, touch and contain each other.
namespace partita {

inline std::string random_position(std::mt19937_64& random) {
  // Some of them across the antimeridian and near a pole.
  constexpr double kCentres[][2] = {{0, 0}, {0, 0}, {0, 0}, {179, 0}, {-179, 1}, {30, 88}};
  const auto& centre = kCentres[random() % std::size(kCentres)];
  const auto offset = [&] { return static_cast<double>(random() % 9) / 8; };
  return fmt::format("[{},{}]", centre[0] + offset(), centre[1] + offset());
}

inline std::string random_polygon(std::mt19937_64& random) {
  const double x = static_cast<double>(random() % 9) / 8;
  const double y = static_cast<double>(random() % 9) / 8;
  const double size = static_cast<double>(1 + random() % 8) / 8;
  return fmt::format("[[[{0},{1}],[{2},{1}],[{2},{3}],[{0},{3}],[{0},{1}]]]", x, y, x + size, y + size);
}

inline std::string random_shape(std::mt19937_64& random) {
  const auto shape = [](std::string_view type, const std::string& coordinates) {
    return fmt::format(R"({{"type":"{}","coordinates":{}}})", type, coordinates);
  };
  switch (random() % 10) {
    case 0: return shape("LineString", fmt::format("[{},{}]", random_position(random), random_position(random)));
    case 1: return shape("MultiPoint", fmt::format("[{},{}]", random_position(random), random_position(random)));
    case 2:
    case 3: return shape("Polygon", random_polygon(random));
    case 4: return shape("MultiPolygon", fmt::format("[{}]", random_polygon(random)));
    case 5: return shape("Point", R"(["no","number"])");
    default: return shape("Point", random_position(random));
  }
}

}  // namespace partita
