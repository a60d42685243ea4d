#pragma once

#include "engine/index/indexing_policy.h"
#include "query/optimise/access.h"
#include "query/optimise/index_order.h"
#include "spatial/cells.h"
#include "spatial/shape.h"

#include <optional>
#include <span>

namespace partita {

// PolicyPaths: what a policy indexes, as a plan sees it. The policy outlives it.
class PolicyPaths final : public query::IndexedPaths {
 public:
  explicit PolicyPaths(const IndexingPolicy& policy) : policy_(policy) {}
  bool is_indexed(const ValuePath& path) const override;
  bool has_words(const ValuePath& path, Language language) const override;
  std::optional<query::CompositeEntries> composite(std::span<const query::OrderedPath> paths,
                                                   std::span<const query::FixedPath> fixed) const override;
  std::optional<PlaneBox> cells_at(const ValuePath& path, Space space) const override;

 private:
  // Plans speak of ranges in the key form of JSON's order; entries in another order cannot answer them, the documents can.
  bool is_in_plan_order() const { return policy_.form().order == ValueOrder::kJson; }

  const IndexingPolicy& policy_;
};

}  // namespace partita
