#pragma once

#include "base/result.h"
#include "base/turn.h"
#include "cluster/catalog/catalog.h"

#include <chrono>
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

// Whoever waits while the documents are deleted: scripts may have the logical partition, one after the other. What was begun goes
// on without him, and what was journaled is finished later.
struct ErasePatience {
  Turn* turn = nullptr;  // of the job on whose thread it is; that is aside while it waits, and gives up when it is cancelled
  std::stop_token stop = {};
  // So long without progress.
  std::chrono::milliseconds wait_max = std::chrono::hours(1);
};

// Deletes all documents of one logical partition that are there now, some at a time; those that are written meanwhile stay. What
// takes more than one transaction is journaled, so that it is finished after a crash. Returns once all of them are durably gone:
// call it from a worker. kTimeout when it was journaled and others keep the logical partition for too long, kThrottled when it
// was not, kUnavailable when nobody waits any more.
Result<KeyErased> erase_key(Catalog& catalog, const std::shared_ptr<const Container>& container, const PartitionKey& key,
                            const ErasePatience& patience = {});

// So long housekeeping waits for others' scripts.
inline constexpr std::chrono::milliseconds kFinishingWaitMax{5'000};

// Finishes a deletion that was journaled and not finished. False when there is none. Told to stop, or out of patience, it leaves
// the rest for another time (kUnavailable).
Result<bool> finish_an_erasure(Catalog& catalog, const std::stop_token& stop = {},
                               std::chrono::milliseconds wait_max = kFinishingWaitMax);

}  // namespace partita
