#pragma once

#include "base/result.h"
#include "cluster/catalog/catalog_changes.h"
#include "cluster/catalog/catalog_map.h"
#include "cluster/catalog/offers.h"
#include "cluster/records/records.h"

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

namespace partita {

// Reshapes: changes of containers' maps and their journals; cluster/reshape/reshaper.h carries them out, one after the other.
//
// Thread-safe: the protocol is that of CatalogChanges.
// Lock order: what a fence pauses comes before the changes, and what a change of indexes pauses behind them. They do not meet: no
// indexes of a container that is fenced change.
// Invariant: a container has at most one journal that is not published.
class Reshapes {
 public:
  using Partitions = std::vector<std::shared_ptr<Partition>>;

  Reshapes(CatalogChanges& changes, CatalogMap& map, Offers& offers) : changes_(changes), map_(map), offers_(offers) {}

  // Those that are under way, or were when the server was killed.
  std::vector<Reshape> list() const;
  // Gives the planned children, of which only the ranges are known, their numbers and ids, and makes the plan durable.
  Result<Reshape> begin(Reshape plan);
  // Makes durable how far it has come.
  Status note(const Reshape& reshape);
  // Keeps the parents' writers out and opens the children.
  using Fence = std::function<Result<Partitions>()>;
  // Replaces the parents by the children in the map, and tells late writers of the parents to look there. Others change the
  // catalog while `fence` runs, all but the container's indexes; whether it can be published is asked again after it.
  Result<std::shared_ptr<const Container>> publish(const Reshape& reshape, const Fence& fence);
  // Drops rows that no map names, and the journal.
  Status end(const Reshape& reshape, const std::vector<Slice>& dropped);

  // Whether the container's writers may be kept out for another map. REQUIRES, here and below: the lock of a change.
  bool is_fenced(const Container& container) const { return fenced_.contains({container.database->number, container.number}); }
  // Until they are not. kUnavailable when that takes long.
  Status wait_for_fence(CatalogChanges::Lock& changes, std::string_view database, std::string_view id_or_rid);

  // For the start, once the containers are there.
  Status load();

 private:
  // The container that a reshape is about, if it still has the parents.
  struct Reshaped {
    std::shared_ptr<const Container> container;
    size_t position;  // of the first parent in its map
  };
  Result<Reshaped> find(const Reshape& reshape) const;
  void set_mode(const Reshape& reshape, ContainerMode mode) const;
  Result<std::shared_ptr<const Container>> publish_children(const Reshape& reshape, const Partitions& children);
  std::shared_ptr<Container> with_children(const Reshaped& before, const Reshape& reshape, const Partitions& children) const;
  static void put_heat(const Reshaped& before, const Reshape& reshape, const Partitions& children, WriteBatch& batch);

  CatalogChanges& changes_;
  CatalogMap& map_;
  Offers& offers_;
  std::map<std::pair<uint32_t, uint32_t>, Reshape> journals_;  // by database and container
  std::set<std::pair<uint32_t, uint32_t>> fenced_;             // guarded by the changes' lock: databases and containers
  std::condition_variable fence_ended_;                        // with the changes' lock
};

}  // namespace partita
