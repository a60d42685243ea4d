#pragma once

#include "base/result.h"
#include "cluster/catalog.h"

#include <cstdint>
#include <map>

namespace partita {

// Documents that one round removes from one partition: other writers of it must not notice.
inline constexpr size_t kReclaimedPerRoundMax = 200;

// Reclaimer: removes documents that have expired, as if a client had deleted them. Readers do not see them any more by then, so
// it only gives their space back, and waits with that while clients use up the partition's budget. Not thread-safe.
//
// Documents with a time of their own have a row in the order of expiry. All others of a container expire in the order of their
// last write, so the changes are walked in that order up to the first that is still alive; where the walk stands is kept in
// memory and begins anew when the container's time changes or the server starts.
class Reclaimer {
 public:
  explicit Reclaimer(const Catalog& catalog) : catalog_(catalog) {}

  // One round over all containers. How many documents it removed: when that is not 0, there may be more.
  Result<size_t> run_round();

 private:
  struct Walk {
    TimeToLive time_to_live;
    Lsn done;  // everything up to here is removed or has a time of its own
  };

  Result<size_t> reclaim(const Container& container, const PartitionPlace& place);
  Result<size_t> reclaim_by_expiry(const Container& container, const PartitionPlace& place, const Slice& slice);
  Result<size_t> reclaim_by_age(const Container& container, const PartitionPlace& place, const Slice& slice, Walk& walk);

  const Catalog& catalog_;
  std::map<PartitionId, Walk> walks_;
};

}  // namespace partita
