#pragma once

#include "base/result.h"
#include "cluster/catalog/catalog_changes.h"
#include "cluster/catalog/catalog_map.h"
#include "cluster/index/index_change.h"
#include "cluster/reshape/reshapes.h"

#include <functional>
#include <vector>

namespace partita {

// IndexGenerations: which generation of its index each partition reads, and which one grows for a new indexing policy;
// cluster/index/index_builder.h fills those that grow.
//
// Thread-safe: the protocol is that of CatalogChanges.
class IndexGenerations {
 public:
  IndexGenerations(CatalogChanges& changes, const CatalogMap& map, const Reshapes& reshapes)
      : changes_(changes), map_(map), reshapes_(reshapes) {}

  // What is told when indexes begin to grow; nobody any more with an empty function.
  void when_growing(std::function<void()> listener);
  // Lets the growing index of a partition, which is filled, be the one that is read. Nothing happens if it does not grow (any
  // more).
  Status finish(const Container& container, PartitionId partition, IndexId growing);

  // Lets indexes of the container's policy, which is new, begin to grow. REQUIRES, here and below: the lock of a change.
  Status begin(const Container& container, IndexChange& change, DroppedRows& dropped);
  // The listener is called while the change is held.
  void tell_listener() const;

 private:
  Result<std::vector<Partition::Index>> name_new(const Container& container);

  CatalogChanges& changes_;
  const CatalogMap& map_;
  const Reshapes& reshapes_;
  std::function<void()> listener_;  // guarded by the changes' lock
};

}  // namespace partita
