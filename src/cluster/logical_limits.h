#pragma once

#include "cluster/catalog/catalog.h"

#include <cstdint>
#include <map>
#include <stop_token>

namespace partita {

// LogicalLimits: lets no logical partition hold more than a limit. Not thread-safe.
//
// Bytes are not counted by key value when documents are written: only once a physical partition is large enough to have a full
// logical one are its documents walked through, and again when it has got a quarter of the limit more. Key values with half of
// the limit or more are counted from then on; no other can reach the limit before the next walk.
class LogicalLimits {
 public:
  LogicalLimits(const Catalog& catalog, uint64_t bytes_max) : catalog_(catalog), bytes_max_(bytes_max) {}

  // Looks at all partitions, and walks through those that need it, until told to stop.
  Status run_round(const std::stop_token& stop = {});

 private:
  Status weigh(const Container& container, Partition& partition, const std::stop_token& stop) const;

  const Catalog& catalog_;
  const uint64_t bytes_max_;
  std::map<PartitionId, uint64_t> grown_when_weighed_;
};

}  // namespace partita
