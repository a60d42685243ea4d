#pragma once

#include "access/expired_documents.h"
#include "base/clock.h"
#include "base/result.h"
#include "cluster/catalog/catalog.h"

#include <cstdint>
#include <map>

namespace partita {

// Documents that one round removes from one partition: other writers of it must not notice.
inline constexpr size_t kReclaimedPerRoundMax = 200;

// Reclaimer: removes documents that have expired, as if a client had deleted them. Readers do not see them any more by then, so
// it only gives their space back, and waits with that while clients use up the partition's budget. Also drops versions that are
// older than their container keeps them. Where the walk over a partition's documents stands is kept in memory, and begins anew
// when the container's time changes or the server starts. Not thread-safe.
class Reclaimer {
 public:
  Reclaimer(const Catalog& catalog, const Clock& clock) : catalog_(catalog), clock_(clock) {}

  // One round over all containers. How many documents and versions it removed: when that is not 0, there may be more. Partitions
  // where that fails are left alone for a while and keep it from no other; the first failure when nothing was removed.
  Result<size_t> run_round();

 private:
  Result<size_t> reclaim(const Container& container, const PartitionPlace& place);
  void erase_expired(const Container& container, const PartitionPlace& place, const Item& item) const;
  bool may_remove(const Container& container, const PartitionPlace& place, size_t removed) const;
  Result<size_t> drop_versions(const Container& container, const PartitionClient& partition) const;

  const Catalog& catalog_;
  const Clock& clock_;
  std::map<PartitionId, ExpiryWalk> walks_;
};

}  // namespace partita
