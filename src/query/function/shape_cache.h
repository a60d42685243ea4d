#pragma once

#include "query/value/datum.h"
#include "spatial/shape.h"

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace partita::query {

// ShapeCache: the shapes of the latest arguments of spatial functions, so that a constant is parsed once and not for every row.
// Not thread-safe.
class ShapeCache {
 public:
  struct Entry {
    const Shape* shape = nullptr;  // null: not valid
    std::string_view mistake;      // then: why
  };

  // Valid until the next call with the same index, which is the argument's position: 0 or 1.
  Entry get(const Datum& argument, size_t index, Space space);

 private:
  struct Kept {
    std::string bytes;  // of the argument that was parsed
    Space space = Space::kGlobe;
    std::optional<Shape> shape;
    std::string mistake;
  };

  std::array<Kept, 2> kept_;
};

}  // namespace partita::query
