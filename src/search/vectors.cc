#include "search/vectors.h"

#include "base/bytes.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <cmath>
#include <cstddef>

namespace partita {
namespace {

// Sums are kept in so many lanes, element i in lane i % kLanes, and added up at the end: the compiler makes vector registers of
// them.
constexpr size_t kLanes = 16;

template <typename Term>
double sum_of(size_t size, Term term) {
  std::array<float, kLanes> sums{};
  size_t i = 0;
  for (; i + kLanes <= size; i += kLanes) {
    for (size_t lane = 0; lane < kLanes; ++lane) sums[lane] += term(i + lane);
  }
  for (size_t lane = 0; i + lane < size; ++lane) sums[lane] += term(i + lane);
  double total = 0;
  for (const float sum : sums) total += static_cast<double>(sum);
  return total;
}

double dot_product(const float* left, const float* right, size_t size) {
  return sum_of(size, [=](size_t i) { return left[i] * right[i]; });
}

double squared_distance(const float* left, const float* right, size_t size) {
  return sum_of(size, [=](size_t i) { return (left[i] - right[i]) * (left[i] - right[i]); });
}

}  // namespace

std::optional<VectorMetric> vector_metric_of(std::string_view name) {
  const auto is_same = [name](std::string_view wanted) {
    return std::ranges::equal(name, wanted, [](unsigned char a, unsigned char b) { return std::tolower(a) == b; });
  };
  for (const VectorMetric metric : {VectorMetric::kCosine, VectorMetric::kDotProduct, VectorMetric::kEuclidean}) {
    if (is_same(name_of(metric))) return metric;
  }
  return std::nullopt;
}

std::string_view name_of(VectorMetric metric) {
  switch (metric) {
    case VectorMetric::kCosine: return "cosine";
    case VectorMetric::kDotProduct: return "dotproduct";
    case VectorMetric::kEuclidean: return "euclidean";
  }
  return {};
}

bool read_vector(const Value& array, std::vector<float>& out) {
  out.clear();
  if (!array.is_array() || array.size() == 0) return false;
  out.reserve(array.size());
  for (size_t i = 0; i < array.size(); ++i) {
    const Value element = array.element(i);
    if (!element.is_number()) return false;
    out.push_back(static_cast<float>(element.number()));
  }
  return true;
}

void append_kept_vector(std::string& out, std::span<const float> vector) {
  for (const float number : vector) append_little_endian(out, std::bit_cast<uint32_t>(number));
}

bool read_kept_vector(std::string_view kept, std::vector<float>& out) {
  out.clear();
  if (kept.empty() || kept.size() % sizeof(uint32_t) != 0) return false;
  out.reserve(kept.size() / sizeof(uint32_t));
  for (size_t at = 0; at < kept.size(); at += sizeof(uint32_t)) {
    out.push_back(std::bit_cast<float>(load_little_endian<uint32_t>(kept.data() + at)));
  }
  return true;
}

double vector_distance(std::span<const float> left, std::span<const float> right, VectorMetric metric) {
  if (metric == VectorMetric::kEuclidean) return std::sqrt(squared_distance(left.data(), right.data(), left.size()));
  const double dot = dot_product(left.data(), right.data(), left.size());
  if (metric == VectorMetric::kDotProduct) return dot;
  const double lengths = std::sqrt(dot_product(left.data(), left.data(), left.size())) *
                         std::sqrt(dot_product(right.data(), right.data(), right.size()));
  return lengths == 0 ? 0 : dot / lengths;
}

}  // namespace partita
