#pragma once

#include "base/result.h"
#include "cluster/catalog/catalog_changes.h"
#include "cluster/catalog/catalog_map.h"
#include "cluster/resources.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace partita {

inline constexpr int64_t kThroughputPerPartition = 10'000;
inline constexpr int64_t kThroughputMin = 400;
inline constexpr int64_t kThroughputStep = 100;
inline constexpr int64_t kAutoscaleMin = 1'000;
inline constexpr int64_t kAutoscaleStep = 1'000;
inline constexpr int64_t kThroughputMax = 1'000'000;

// How many physical partitions a container needs for its throughput.
size_t partitions_for(const Throughput& throughput, int64_t per_partition = kThroughputPerPartition);

Status check_throughput(const Throughput& throughput);
// Without partition key a container has one partition for ever.
Status check_can_be_spread(const ContainerDefinition& definition, const Throughput& throughput);
// A database's throughput is a number.
Status check_can_be_shared(const Throughput& throughput);

// Whether provisioned throughput is more than a number, for how much of it a new container gets a partition, whether partitions
// keep in mind what they were asked for, and how much memory everything may take (cluster/catalog_memory.h).
struct RateLimits {
  bool is_enforced = false;
  bool allows_bursts = false;
  bool records_workload = true;
  int64_t new_partition_throughput = kThroughputPerPartition;  // manual; with autoscale it is always the most that there is
  size_t memory_bytes = CatalogMemory::kUnlimited;
};

// Offers: which throughput containers and databases have, and the budgets of request units that follow from it.
//
// Thread-safe: the protocol is that of CatalogChanges.
// Invariants: a container or database has at most one offer. A partition's budget has changed once the map or the offer that it
// follows from is visible, and is as it was after a change that failed.
class Offers {
 public:
  using OfferPtr = std::shared_ptr<const Offer>;

  Offers(CatalogChanges& changes, const CatalogMap& map, RateLimits limits) : changes_(changes), map_(map), limits_(limits) {}

  std::vector<OfferPtr> list() const;
  // Null when there is none.
  OfferPtr find(uint32_t number) const;
  // The offer of a container, or of a database with container 0; null when it has none of its own.
  OfferPtr of(uint32_t database, uint32_t container) const;
  Result<OfferPtr> replace(uint32_t number, const Throughput& throughput, std::string_view if_match = {});
  // What an offer is about: a container with throughput of its own, or all of a database that share one.
  CatalogMap::Containers containers_of(const Offer& offer) const;
  // Everybody's budget begins anew: debts and savings are forgotten.
  void reset_budgets();

  // For changes of databases and containers, of which an offer is a part. REQUIRES, here and below: the lock of a change; what
  // alters is called when the catalog is opened, or to publish.
  OfferPtr own(uint32_t database, uint32_t container) const;
  bool has_own(uint32_t database, uint32_t container) const { return numbers_by_owner_.contains({database, container}); }
  // How many partitions a new container gets.
  size_t partitions_of(const ContainerDefinition& definition, const std::optional<Throughput>& throughput) const;
  Result<OfferPtr> add(uint32_t database, uint32_t container, const Throughput& throughput, WriteBatch& batch);
  void erase(uint32_t database, uint32_t container, WriteBatch& batch) const;
  // Nothing when it is null.
  void put(const OfferPtr& offer);
  void forget(uint32_t database, uint32_t container);
  void forget_database(uint32_t database);
  // Gives every partition of the container its budget.
  void provision(const Container& container, const Offer* own_offer) const;
  // The containers that share a database's throughput draw from one budget.
  void provision_database(const Offer& offer);

  // For the start, once the databases are there and before the containers.
  Status load();

 private:
  CatalogChanges& changes_;
  const CatalogMap& map_;
  const RateLimits limits_;
  std::map<uint32_t, OfferPtr> offers_;                                 // by number
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> numbers_by_owner_;  // by database and container
  std::map<uint32_t, std::shared_ptr<RequestBudget>> shared_budgets_;   // of databases with throughput of their own
};

}  // namespace partita
