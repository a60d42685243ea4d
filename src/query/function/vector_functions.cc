#include "query/function/groups.h"
#include "query/function/vector_arguments.h"

#include <vector>

namespace partita::query {

bool read_vector(const Datum& array, std::vector<float>& out) { return array.is_array() && read_vector(array.container(), out); }

std::optional<VectorMetric> metric_of(Arguments arguments) {
  if (arguments.size() > 2 && !arguments[2].is_bool()) return std::nullopt;
  if (arguments.size() < 4) return VectorMetric::kCosine;
  if (!arguments[3].is_object()) return std::nullopt;
  const Datum name = arguments[3].member("distanceFunction");
  if (name.is_undefined()) return VectorMetric::kCosine;
  return name.is_string() ? vector_metric_of(name.string()) : std::nullopt;
}

namespace {

std::optional<double> distance_of(Arguments arguments, std::optional<VectorMetric> metric) {
  if (!metric) return std::nullopt;
  std::vector<float> left;
  std::vector<float> right;
  if (!read_vector(arguments[0], left) || !read_vector(arguments[1], right) || left.size() != right.size()) return std::nullopt;
  return vector_distance(left, right, *metric);
}

Datum distance(Arguments arguments, FunctionContext&) {
  const auto value = distance_of(arguments, metric_of(arguments));
  return value ? Datum::number(*value) : Datum();
}

// More is nearer, whatever the metric.
Datum score(Arguments arguments, FunctionContext&) {
  const auto metric = metric_of(arguments);
  const auto value = distance_of(arguments, metric);
  if (!value) return {};
  return Datum::number(metric == VectorMetric::kEuclidean ? -*value : *value);
}

constexpr Function kFunctions[] = {
    {.name = "VECTORDISTANCE", .arguments_min = 2, .arguments_max = 4, .body = distance, .can_sort = true, .takes_metric = true},
    {.name = "_VECTORSCORE", .arguments_min = 2, .arguments_max = 4, .body = score, .can_sort = true, .takes_metric = true},
};

}  // namespace

std::span<const Function> vector_functions() { return kFunctions; }

}  // namespace partita::query
