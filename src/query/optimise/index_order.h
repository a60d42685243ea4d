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
  // Of entries by several values together: every document has one. None: entries are those of the values at the path.
  std::vector<OrderedPath> parts = {};
  // Before them, what the filter lets only one value through of; all entries that are wanted begin with the prefix.
  std::vector<ValuePath> fixed = {};
  std::string prefix = {};

  bool is_composite() const { return !parts.empty(); }
  // Whose values decide about the order first.
  const ValuePath& leading() const { return is_composite() ? parts.front().path : path; }
};

// As clients write it: /a, /b DESC; fixed ones as /a =
std::string to_text(const IndexOrder& order);

// Nothing when the plan has no such order, or when an ordered source would not spare it the sort. `access` is what the plan's
// filter demands.
std::optional<IndexOrder> index_order_of(const Plan& plan, const Access& access, const IndexedPaths& indexed);

// Whether reading the entries of an order, in their range, gives no documents but those that the access lets through.
bool covers(const IndexOrder& order, const Access& access);

// Of the entries of such an order, without their prefix, those of documents that the access can let through; nothing when that
// takes documents without one.
std::optional<KeyFormRange> range_of(const Access& access, const IndexOrder& order);

// The values at the path that the access lets through; nothing when it lets documents without one through.
std::optional<KeyFormRange> range_at(const Access& access, const ValuePath& path);

}  // namespace partita::query
