#pragma once

#include "base/result.h"
#include "cluster/catalog/catalog_changes.h"
#include "cluster/catalog/catalog_map.h"

#include <map>

namespace partita {

// KeptHeat: how much every partition was used in the past, written down so that the next start knows it.
//
// Thread-safe: the protocol is that of CatalogChanges.
class KeptHeat {
 public:
  KeptHeat(CatalogChanges& changes, const CatalogMap& map) : changes_(changes), map_(map) {}

  // Writes down what has changed since the last time. Not synced: a crash forgets what happened since then.
  Status keep();
  // Gives a partition that was opened what is written about it.
  Status restore(Partition& partition) const;

 private:
  CatalogChanges& changes_;
  const CatalogMap& map_;
  std::map<PartitionId, HeatTally> totals_;  // guarded by the changes' lock: at the last keep()
};

}  // namespace partita
