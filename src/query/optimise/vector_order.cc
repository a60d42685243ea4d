#include "query/optimise/vector_order.h"

#include "query/execute/position.h"
#include "query/function/vector_arguments.h"
#include "query/optimise/path_expressions.h"

#include <cmath>

namespace partita::query {
namespace {

// The arguments of the call that are constant; the others are undefined.
std::vector<Datum> constants_of(const Scalar& call) {
  std::vector<Datum> constants;
  for (const Scalar& operand : call.operands) constants.push_back(operand.is_constant() ? operand.constant_value() : Datum());
  return constants;
}

bool is_vector_call(const Scalar& scalar) {
  return scalar.kind == ScalarKind::kCall &&
         (scalar.function->name == "VECTORDISTANCE" || scalar.function->name == "_VECTORSCORE");
}

}  // namespace

std::optional<VectorOrder> vector_order_of(const Plan& plan, const IndexedPaths& indexed) {
  const bool is_streaming = !plan.grouping && !plan.is_distinct && plan.order.size() == 1;
  if (!is_streaming || plan.sources.empty() || plan.sources.front().kind != Source::Kind::kScan) return std::nullopt;
  const Scalar& call = plan.order.front().scalar;
  // The index knows nothing of documents without a vector.
  if (!is_vector_call(call) || !plan.order.front().drops_undefined) return std::nullopt;
  const size_t constant_side = call.operands[1].is_constant() ? 1 : 0;
  const auto place = PathExpressions(plan.sources.front().slot).find(call.operands[1 - constant_side]);
  if (!place || place->path.has_many_values() || !indexed.is_indexed(place->path.vector())) return std::nullopt;
  const std::vector<Datum> constants = constants_of(call);
  const std::optional<VectorMetric> metric = metric_of(constants);
  VectorOrder order{.path = place->path, .constant = {}, .metric = metric.value_or(VectorMetric::kCosine)};
  if (!metric || !read_vector(constants[constant_side], order.constant)) return std::nullopt;
  order.is_negated = call.function->name == "_VECTORSCORE" && *metric == VectorMetric::kEuclidean;
  order.is_descending = plan.order.front().is_descending;
  return order;
}

bool VectorScorer::append_order(std::string& out, std::string_view kept) {
  if (!read_kept_vector(kept, vector_) || vector_.size() != order_.constant.size()) return false;
  const double distance = vector_distance(vector_, order_.constant, order_.metric);
  if (!std::isfinite(distance)) return false;
  append_sort_key(out, Datum::number(order_.is_negated ? -distance : distance), order_.is_descending);
  return true;
}

}  // namespace partita::query
