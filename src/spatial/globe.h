#pragma once

#include "spatial/cells.h"
#include "spatial/geometry.h"

#include <expected>
#include <memory>
#include <string>
#include <vector>

namespace partita {

// GlobeShape: a valid geometry on the globe. Immutable once made; any number of threads may use it.
class GlobeShape {
 public:
  static std::expected<std::unique_ptr<const GlobeShape>, std::string> make(Geometry geometry);
  ~GlobeShape();

  double area() const;  // square metres
  // Cells of S2, about so many at most, that cover everything that lies within so many metres of the shape.
  std::vector<CellNumber> covering(double metres, int cells_max) const;

  friend double distance(const GlobeShape& left, const GlobeShape& right);  // metres
  friend bool intersects(const GlobeShape& left, const GlobeShape& right);
  friend bool is_within(const GlobeShape& inner, const GlobeShape& outer);

 private:
  struct Index;  // of all edges

  explicit GlobeShape(Geometry geometry);

  Geometry geometry_;
  std::unique_ptr<Index> index_;
};

}  // namespace partita
