#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace partita {

enum class VectorMetric : uint8_t {
  kCosine,      // 1 is the same direction
  kDotProduct,  // more is nearer
  kEuclidean,   // less is nearer
};

// The name as policies and queries write it; case does not matter.
std::optional<VectorMetric> vector_metric_of(std::string_view name);
std::string_view name_of(VectorMetric metric);

// REQUIRES: both have the same size. The cosine with a vector of length 0 is 0.
double vector_distance(std::span<const float> left, std::span<const float> right, VectorMetric metric);

}  // namespace partita
