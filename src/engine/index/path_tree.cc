#include "engine/index/path_tree.h"

namespace partita {

PathTree& PathTree::at(std::span<const IndexPath::Step> steps) {
  PathTree* node = this;
  for (const IndexPath::Step& step : steps) {
    std::unique_ptr<PathTree>& next =
        step.kind == IndexPath::Step::Kind::kElement ? node->elements : node->properties[step.property];
    if (!next) next = std::make_unique<PathTree>();
    node = next.get();
  }
  return *node;
}

const PathTree* PathTree::next(const IndexPath::Step& step) const {
  if (step.kind == IndexPath::Step::Kind::kElement) return elements.get();
  const auto found = properties.find(step.property);
  return found == properties.end() ? nullptr : found->second.get();
}

bool PathTree::includes(std::span<const IndexPath::Step> steps) const {
  const PathTree* node = this;
  bool is_included = node->is_subtree_included.value_or(false);
  for (const IndexPath::Step& step : steps) {
    node = node->next(step);
    if (node == nullptr) return is_included;
    is_included = node->is_subtree_included.value_or(is_included);
  }
  return node->is_exact_included.value_or(is_included);
}

}  // namespace partita
