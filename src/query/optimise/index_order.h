#pragma once

#include "document/value_path.h"
#include "query/optimise/access.h"
#include "query/plan/plan.h"

#include <optional>

namespace partita::query {

// IndexOrder: the order of a plan's rows is that of the values at one indexed path.
struct IndexOrder {
  ValuePath path;
  bool is_descending = false;
};

// Nothing when the plan has no such order, or when an ordered source would not spare it the sort.
std::optional<IndexOrder> index_order_of(const Plan& plan, const IndexedPaths& indexed);

// The values at the path that the access lets through; nothing when it lets documents without one through.
std::optional<KeyFormRange> range_at(const Access& access, const ValuePath& path);

}  // namespace partita::query
