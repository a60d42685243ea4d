#pragma once

#include "query/optimise/access.h"
#include "search/vectors.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace partita::query {

// VectorOrder: the order of a plan's rows is that of the distances of the vectors at one path to a constant one.
struct VectorOrder {
  ValuePath path;
  std::vector<float> constant;
  VectorMetric metric = VectorMetric::kCosine;
  bool is_negated = false;  // by the distances with their sign changed
  bool is_descending = false;
};

// Nothing when the plan has no such order, when the index does not have the vectors, or when an ordered source would not spare
// the sort.
std::optional<VectorOrder> vector_order_of(const Plan& plan, const IndexedPaths& indexed);

// VectorScorer: what an index keeps of a vector as a sort key. Not thread-safe; the order outlives it.
class VectorScorer {
 public:
  explicit VectorScorer(const VectorOrder& order) : order_(order) {}

  // Takes a vector as it is kept (search/vectors.h). False when it has no distance to the constant one.
  bool append_order(std::string& out, std::string_view kept);

 private:
  const VectorOrder& order_;
  std::vector<float> vector_;
};

}  // namespace partita::query
