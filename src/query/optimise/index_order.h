#pragma once

#include "document/value_path.h"
#include "query/optimise/access.h"
#include "query/plan/plan.h"

#include <optional>
#include <string>
#include <vector>

namespace partita::query {

// IndexOrder: the order of a plan's rows is that of the entries at one path of the index, forwards or backwards.
struct IndexOrder {
  ValuePath path;
  bool is_descending = false;
  // By several values together: every document has an entry. Else one, of the values at the path.
  std::vector<OrderedPath> parts = {};

  bool is_composite() const { return !parts.empty(); }
};

// As clients write it: /a, /b DESC
std::string to_text(const IndexOrder& order);

// Nothing when the plan has no such order, or when an ordered source would not spare it the sort.
std::optional<IndexOrder> index_order_of(const Plan& plan, const IndexedPaths& indexed);

// Of the entries of such an order, those of documents that the access can let through; nothing when that takes documents without
// one.
std::optional<KeyFormRange> range_of(const Access& access, const IndexOrder& order);

// The values at the path that the access lets through; nothing when it lets documents without one through.
std::optional<KeyFormRange> range_at(const Access& access, const ValuePath& path);

}  // namespace partita::query
