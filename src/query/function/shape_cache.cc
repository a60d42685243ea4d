#include "query/function/shape_cache.h"

namespace partita::query {

ShapeCache::Entry ShapeCache::get(const Datum& argument, size_t index, Space space) {
  if (!argument.is_object()) return {nullptr, "The input is not valid because it is not a GeoJSON object."};
  Kept& kept = kept_[index];
  const Value geojson = argument.container();
  if (kept.bytes != geojson.bytes() || kept.space != space) {
    kept.bytes = geojson.bytes();
    kept.space = space;
    auto shape = Shape::parse(geojson, space);
    kept.shape.reset();
    if (shape) {
      kept.shape = std::move(*shape);
    } else {
      kept.mistake = std::move(shape).error();
    }
  }
  return kept.shape ? Entry{&*kept.shape, {}} : Entry{nullptr, kept.mistake};
}

}  // namespace partita::query
