#pragma once

#include "cluster/test_account.h"

#include <memory>
#include <vector>

// For tests of this room that change maps step by step.
namespace partita {

// The first partition of a container, in two.
inline Reshape split_plan(const Container& container, const EffectivePartitionKey& at) {
  const PartitionPlace& first = container.places.front();
  Reshape plan;
  plan.database = container.database->number;
  plan.container = container.number;
  plan.parents = {first.range_id};
  plan.children.resize(2);
  plan.children[0].range = {first.range().min, at};
  plan.children[1].range = {at, first.range().max};
  return plan;
}

// The children of a reshape, empty unless something was brought over.
inline Result<std::vector<std::shared_ptr<Partition>>> open_children(TestAccount& account, const Reshape& reshape,
                                                                     const ContainerDefinition& definition) {
  std::vector<std::shared_ptr<Partition>> children;
  for (const PlaceRecord& child : reshape.children) {
    TRY_ASSIGN(auto partition, Partition::open(*account.store, account.clock, child.partition, child.range,
                                               {child.index, definition.indexing}, definition.rules));
    children.push_back(std::move(partition));
  }
  return children;
}

}  // namespace partita
