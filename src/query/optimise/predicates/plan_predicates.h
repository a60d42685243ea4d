#pragma once

#include "query/optimise/access.h"

#include <string>
#include <vector>

namespace partita::query {

// PlanPredicates: what a plan asks of indexes, each thing once: for those who tell users which indexes serve a query.
struct PlanPredicates {
  // Of the values at one path.
  struct Single {
    ValuePath path;
    std::string text;  // the values, or "order"
    bool is_exact = false;

    bool operator==(const Single&) const = default;
  };
  // Of the order of several paths; "/a ASC".
  using Composite = std::vector<std::string>;

  std::vector<Single> singles;
  std::vector<Composite> composites;
};

// What the filter demands of paths that are indexed.
PlanPredicates filter_predicates(const Plan& plan, const IndexedPaths& indexed);
// What ORDER BY demands, whether or not it is indexed.
PlanPredicates order_predicates(const Plan& plan);

// The index at this path as policies and the service's index metrics write it: /a/?, /a/* for shapes, /a for texts and vectors.
std::string index_text(const ValuePath& path);

// IndexedPaths: every path.
class AllPaths final : public IndexedPaths {
 public:
  bool is_indexed(const ValuePath& path) const override { return !path.steps.empty(); }
  bool has_words(const ValuePath& path, Language) const override { return !path.steps.empty(); }
  std::optional<PlaneBox> cells_at(const ValuePath& path, Space) const override {
    return path.steps.empty() ? std::nullopt : std::optional(PlaneBox{{0, 0}, {1, 1}});
  }
};

}  // namespace partita::query
