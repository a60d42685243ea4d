#include "query/distribute/service_limits.h"

#include "query/sql/diagnostic.h"
#include "query/sql/parser.h"

#include <algorithm>

namespace partita::query {
namespace {

bool is_vector_distance(const SortKey& key) {
  return key.scalar.kind == ScalarKind::kCall && key.scalar.function->name == "VECTORDISTANCE";
}

// Only the text tells a direction that was said from the one that a metric has by nature.
bool says_direction(const QuerySpecification& specification) {
  const Result<sql::Query> query = sql::parse(specification.text);
  return query && std::ranges::any_of(query->order_by, [](const sql::OrderItem& item) { return item.is_descending.has_value(); });
}

bool uses_slot_of(const Scalar& scalar, const Source& source) {
  if (scalar.kind == ScalarKind::kSlot) return scalar.slot == source.slot;
  return std::ranges::any_of(scalar.operands, [&](const Scalar& operand) { return uses_slot_of(operand, source); });
}

// Groups are sorted by their keys, whatever these were made from.
bool sorts_by_parts(const Plan& plan) {
  if (plan.grouping) return false;
  return std::ranges::any_of(plan.sources, [&](const Source& source) {
    return source.kind != Source::Kind::kScan &&
           std::ranges::any_of(plan.order, [&](const SortKey& key) { return uses_slot_of(key.scalar, source); });
  });
}

// Which clause says too much, as binding would say it of a larger number.
Error refused_count(const QuerySpecification& specification, const Plan& plan) {
  const Result<sql::Query> query = sql::parse(specification.text);
  if (!query) return query.error();
  if (plan.offset > kServiceRowCountMax) {
    return to_error(
        {.code = "SC2062", .message = "The OFFSET count value exceeds the maximum allowed value.", .range = query->offset->range},
        specification.text);
  }
  if (query->top) {
    return to_error({.code = "SC2060",
                     .message = "The count value provided for a TOP clause must be an integer.",
                     .range = query->top->range},
                    specification.text);
  }
  return to_error(
      {.code = "SC2061", .message = "The LIMIT count value exceeds the maximum allowed value.", .range = query->limit->range},
      specification.text);
}

}  // namespace

Status check_service_limits(const QuerySpecification& specification, const Plan& plan) {
  if (std::max(plan.offset, plan.limit.value_or(0)) > kServiceRowCountMax) {
    return std::unexpected(refused_count(specification, plan));
  }
  if (std::ranges::any_of(plan.order, is_vector_distance) && says_direction(specification)) {
    return fail(ErrorCode::kInvalidQuery,
                R"({"Errors":["Specifying a sorting order (ASC or DESC) with VectorDistance function is not supported."]})");
  }
  if (sorts_by_parts(plan)) {
    return fail(ErrorCode::kInvalidQuery, R"({"Errors":["Order-by over correlated collections is not supported."]})");
  }
  return {};
}

bool needs_merging(const Plan& plan) {
  const bool has_counts = plan.offset > 0 || plan.limit.has_value();
  return plan.is_distinct || plan.grouping || !plan.order.empty() || plan.ranking || (has_counts && !plan.sources.empty());
}

}  // namespace partita::query
