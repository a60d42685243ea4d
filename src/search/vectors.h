#pragma once

#include "document/value.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace partita {

enum class VectorMetric : uint8_t {
  kCosine,      // 1 is the same direction
  kDotProduct,  // more is nearer
  kEuclidean,   // less is nearer
};

// The name as policies and queries write it; case does not matter.
std::optional<VectorMetric> vector_metric_of(std::string_view name);
std::string_view name_of(VectorMetric metric);

// False unless it is an array of numbers, and has some.
bool read_vector(const Value& array, std::vector<float>& out);

// As indexes keep vectors: numbers of 32 bits, little-endian. Reading is false unless these are such bytes.
void append_kept_vector(std::string& out, std::span<const float> vector);
bool read_kept_vector(std::string_view kept, std::vector<float>& out);

// REQUIRES: both have the same size. The cosine with a vector of length 0 is 0.
double vector_distance(std::span<const float> left, std::span<const float> right, VectorMetric metric);

}  // namespace partita
