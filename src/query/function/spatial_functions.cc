#include "query/function/groups.h"
#include "query/function/shape_cache.h"

namespace partita::query {
namespace {

// Everything exists twice: on the globe and, for containers whose coordinates are plane, in the plane.
template <Space kSpace>
const Shape* shape_of(Arguments arguments, size_t index, FunctionContext& context) {
  return context.shapes().get(arguments[index], index, kSpace).shape;
}

KeepGoing pace_of(FunctionContext& context) {
  return [&context] { return context.keep_going(); };
}

template <Space kSpace>
Datum measure_distance(Arguments arguments, FunctionContext& context) {
  const Shape* left = shape_of<kSpace>(arguments, 0, context);
  const Shape* right = shape_of<kSpace>(arguments, 1, context);
  return left != nullptr && right != nullptr ? Datum::number(distance(*left, *right, pace_of(context))) : Datum();
}

template <Space kSpace>
Datum test_intersection(Arguments arguments, FunctionContext& context) {
  const Shape* left = shape_of<kSpace>(arguments, 0, context);
  const Shape* right = shape_of<kSpace>(arguments, 1, context);
  return left != nullptr && right != nullptr ? Datum::boolean(intersects(*left, *right, pace_of(context))) : Datum();
}

template <Space kSpace>
Datum test_within(Arguments arguments, FunctionContext& context) {
  const Shape* inner = shape_of<kSpace>(arguments, 0, context);
  const Shape* outer = shape_of<kSpace>(arguments, 1, context);
  return inner != nullptr && outer != nullptr ? Datum::boolean(is_within(*inner, *outer, pace_of(context))) : Datum();
}

template <Space kSpace>
Datum measure_area(Arguments arguments, FunctionContext& context) {
  const Shape* shape = shape_of<kSpace>(arguments, 0, context);
  return shape != nullptr ? Datum::number(shape->area()) : Datum();
}

template <Space kSpace>
Datum is_valid(Arguments arguments, FunctionContext& context) {
  return Datum::boolean(shape_of<kSpace>(arguments, 0, context) != nullptr);
}

template <Space kSpace>
Datum validate(Arguments arguments, FunctionContext& context) {
  const ShapeCache::Entry entry = context.shapes().get(arguments[0], 0, kSpace);
  StoredWriter& out = context.writer();
  out.begin_object();
  out.key("valid");
  out.boolean(entry.shape != nullptr);
  if (entry.shape == nullptr) {
    out.key("reason");
    out.string(entry.mistake);
  }
  out.end_object();
  return context.stored(out);
}

constexpr Function kInPlane[] = {
    {"ST_AREA", 1, 1, measure_area<Space::kPlane>},
    {"ST_DISTANCE", 2, 2, measure_distance<Space::kPlane>},
    {"ST_INTERSECTS", 2, 2, test_intersection<Space::kPlane>},
    {"ST_ISVALID", 1, 1, is_valid<Space::kPlane>},
    {"ST_ISVALIDDETAILED", 1, 1, validate<Space::kPlane>},
    {"ST_WITHIN", 2, 2, test_within<Space::kPlane>},
};

constexpr Function kOnGlobe[] = {
    {.name = "ST_AREA", .arguments_min = 1, .arguments_max = 1, .body = measure_area<Space::kGlobe>, .in_plane = &kInPlane[0]},
    {.name = "ST_DISTANCE",
     .arguments_min = 2,
     .arguments_max = 2,
     .body = measure_distance<Space::kGlobe>,
     .in_plane = &kInPlane[1]},
    {.name = "ST_INTERSECTS",
     .arguments_min = 2,
     .arguments_max = 2,
     .body = test_intersection<Space::kGlobe>,
     .in_plane = &kInPlane[2]},
    {.name = "ST_ISVALID", .arguments_min = 1, .arguments_max = 1, .body = is_valid<Space::kGlobe>, .in_plane = &kInPlane[3]},
    {.name = "ST_ISVALIDDETAILED",
     .arguments_min = 1,
     .arguments_max = 1,
     .body = validate<Space::kGlobe>,
     .in_plane = &kInPlane[4]},
    {.name = "ST_WITHIN", .arguments_min = 2, .arguments_max = 2, .body = test_within<Space::kGlobe>, .in_plane = &kInPlane[5]},
};

}  // namespace

std::span<const Function> spatial_functions() { return kOnGlobe; }

}  // namespace partita::query
