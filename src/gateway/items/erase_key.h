#pragma once

#include "base/result.h"
#include "cluster/catalog/catalog.h"

#include <memory>
#include <stop_token>

namespace partita {

// What a deletion of a whole logical partition has done.
struct KeyErased {
  std::shared_ptr<const Container> container;  // as it was then; has the place
  const PartitionPlace* place = nullptr;
  Lsn lsn;
  double charge = 0;
};

// Deletes all documents of one logical partition that are there now, some at a time; those that are written meanwhile stay. What
// takes more than one transaction is journaled, so that it is finished after a crash. Returns once all of them are durably gone,
// which may take long: call it from a worker.
Result<KeyErased> erase_key(Catalog& catalog, const std::shared_ptr<const Container>& container, const PartitionKey& key);

// Finishes a deletion that was journaled and not finished. False when there is none. Told to stop, it leaves the rest for another
// time (kUnavailable).
Result<bool> finish_an_erasure(Catalog& catalog, const std::stop_token& stop = {});

}  // namespace partita
