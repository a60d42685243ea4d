#pragma once

#include "base/result.h"
#include "cluster/catalog/catalog_changes.h"
#include "cluster/catalog/catalog_map.h"
#include "cluster/records/records.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>

namespace partita {

// Erasures: journals of deletions of whole logical partitions that take several transactions; gateway/items/erase_key.h carries
// them out. A journal that is left behind, by a crash or a failure, is taken up again by whoever asks for one.
//
// Thread-safe: the protocol is that of CatalogChanges. Invariant: at most one caller carries out an erasure at a time.
class Erasures {
 public:
  Erasures(CatalogChanges& changes, const CatalogMap& map) : changes_(changes), map_(map) {}

  // Durable when it returns, and being carried out by the caller.
  Result<Erasure> begin(const Container& container, const PartitionKey& key, Lsn newest);
  Status end(const Erasure& erasure);
  // For later: it could not be carried out now.
  void leave(const Erasure& erasure);
  // One that nobody carries out and that has not failed a short time ago, from now on the caller does.
  std::optional<Erasure> take();
  // The container as it is now; null when it is gone.
  std::shared_ptr<const Container> container_of(const Erasure& erasure) const;

  // For the start.
  Status load();

 private:
  struct Journal {
    Erasure erasure;
    bool is_taken = false;
  };

  CatalogChanges& changes_;
  const CatalogMap& map_;
  std::map<uint32_t, Journal> journals_;  // by number; looked at and altered only by who holds the changes
};

}  // namespace partita
