#pragma once

#include "base/result.h"
#include "cluster/catalog/catalog_changes.h"
#include "cluster/catalog/catalog_map.h"
#include "cluster/document_numbers.h"

#include <cstdint>
#include <memory>

namespace partita {

// NumberLeases: up to which document number every container has leased its numbers, block by block.
//
// Thread-safe: the protocol is that of CatalogChanges. What is left of a block at the end of the server is used by the next one,
// because the partitions' counters know which numbers were used.
class NumberLeases {
 public:
  NumberLeases(CatalogChanges& changes, const CatalogMap& map) : changes_(changes), map_(map) {}

  // Of a container that is being made: its first block, with the batch that makes it.
  static std::shared_ptr<DocumentNumbers> begin(uint32_t database, uint32_t container, WriteBatch& batch);
  // Of one that is being deleted.
  static void erase(uint32_t database, uint32_t container, WriteBatch& batch);
  // Of one that is being opened: as it was leased. One from before there were leases has none.
  Result<std::shared_ptr<DocumentNumbers>> open(uint32_t database, uint32_t container, DocumentNumber newest) const;

  // Leases the next block for every container that has used half of its own. To be called every second or so.
  Status extend();

 private:
  CatalogChanges& changes_;
  const CatalogMap& map_;
};

}  // namespace partita
