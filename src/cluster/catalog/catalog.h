#pragma once

#include "base/clock.h"
#include "base/result.h"
#include "cluster/background_failures.h"
#include "cluster/catalog/catalog_changes.h"
#include "cluster/catalog/catalog_map.h"
#include "cluster/catalog/children.h"
#include "cluster/catalog/erasures.h"
#include "cluster/catalog/kept_heat.h"
#include "cluster/catalog/number_leases.h"
#include "cluster/catalog/offers.h"
#include "cluster/catalog/resource_checks.h"
#include "cluster/catalog/scripts.h"
#include "cluster/index/index_generations.h"
#include "cluster/records/records.h"
#include "cluster/reshape/reshapes.h"
#include "cluster/resources.h"
#include "engine/item/etag.h"
#include "storage/store.h"

#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace partita {

// Catalog: which databases and containers exist, where each container's partitions are, and by its parts what belongs to them.
//
// Thread-safe: readers share a lock and get immutable resources that stay usable after they were replaced or deleted. Changes
// come one after the other; each is durable before it is visible, and readers never wait for the disk. A change that was answered
// with kStorageFailure is not visible, unless it becomes durable later: when a full disk got space again, or at the next start.
// The parts share this protocol, which is CatalogChanges.
// Errors: kNotFound, kOwnerNotFound (the database is missing), kAlreadyExists, kInvalidInput, kPreconditionFailed,
// kStorageFailure.
class Catalog {
 public:
  using Databases = std::vector<std::shared_ptr<const Database>>;
  using Containers = CatalogMap::Containers;

  static Result<std::unique_ptr<Catalog>> open(Store& store, const Clock& clock, EtagSource& etags, RateLimits limits = {});
  Catalog(const Catalog&) = delete;
  Catalog& operator=(const Catalog&) = delete;

  // As of its store: what reads and writes documents may have to wait for somebody's long write.
  bool is_slow() const { return changes_.store().is_slow(); }
  // What everything in it takes of the memory that it may have.
  size_t memory_taken() const { return changes_.memory().taken(); }
  // How far the catalog has come: see CatalogChanges::version().
  uint64_t version() const { return changes_.version(); }
  // What fails of the work on its containers that nobody waits for. Shared with callbacks that may run when the catalog is gone.
  const std::shared_ptr<BackgroundFailures>& failures() const { return changes_.failures(); }

  // By rid, else by id; the same for containers. No new id has the form of a rid.
  Result<std::shared_ptr<const Database>> database(std::string_view id_or_rid) const;
  Databases databases() const;
  Result<std::shared_ptr<const Database>> create_database(std::string_view id, std::optional<Throughput> throughput);
  Status delete_database(std::string_view id_or_rid, std::string_view if_match = {});

  Result<std::shared_ptr<const Container>> container(std::string_view database, std::string_view id_or_rid) const;
  // Null when there is no such container.
  std::shared_ptr<const Container> container(uint32_t database, uint32_t number) const;
  Result<Containers> containers(std::string_view database) const;
  // Of all databases, by number.
  Containers containers() const;
  // Those of this moment, without a lock: others may change or delete them meanwhile.
  void for_each_container(const std::function<void(const Container&)>& visit) const;
  // Without throughput of its own a container shares its database's, or gets the least there is.
  Result<std::shared_ptr<const Container>> create_container(std::string_view database, ContainerDefinition definition,
                                                            std::optional<Throughput> throughput);
  // The id and the partition key cannot change. Another indexing policy is in the definition at once, and its indexes begin to
  // grow; cluster/index/index_builder.h builds them.
  Result<std::shared_ptr<const Container>> replace_container(std::string_view database, std::string_view id_or_rid,
                                                             ContainerDefinition definition, std::string_view if_match = {});
  Status delete_container(std::string_view database, std::string_view id_or_rid, std::string_view if_match = {});

  // The parts; of a const catalog they can only be read.
  auto& offers(this auto& self) { return self.offers_; }
  auto& scripts(this auto& self) { return self.scripts_; }
  auto& children(this auto& self) { return self.children_; }
  auto& reshapes(this auto& self) { return self.reshapes_; }
  auto& erasures(this auto& self) { return self.erasures_; }
  auto& indexes(this auto& self) { return self.indexes_; }
  auto& heat(this auto& self) { return self.heat_; }
  auto& numbers(this auto& self) { return self.numbers_; }

 private:
  Catalog(Store& store, const Clock& clock, EtagSource& etags, RateLimits limits)
      : changes_(store, clock, etags, limits.memory_bytes), offers_(changes_, map_, limits) {}

  Status load();
  Status load_container(ContainerRecord record);
  Result<std::shared_ptr<Partition>> open_partition(PlaceRecord& place, const ContainerDefinition& definition);
  Result<std::vector<PartitionPlace>> make_places(const ContainerDefinition& definition, size_t count, WriteBatch& batch);
  // REQUIRES, here and below: the lock of a change.
  Result<const CatalogMap::Entry*> find_owner(std::string_view database) const;
  // Everything that is stored about the container. Its partitions take no more writes.
  void erase_container(const Container& container, WriteBatch& batch) const;
  void forget_container(const Container& container);
  Status commit_deletion(WriteBatch& batch, const Containers& deleted, std::function<void()> publish);

  CatalogChanges changes_;
  CatalogMap map_;
  Offers offers_;
  Scripts scripts_{changes_, map_};
  Children children_{changes_, map_};
  Reshapes reshapes_{changes_, map_, offers_};
  Erasures erasures_{changes_, map_};
  IndexGenerations indexes_{changes_, map_, reshapes_};
  KeptHeat heat_{changes_, map_};
  NumberLeases numbers_{changes_, map_};
};

}  // namespace partita
