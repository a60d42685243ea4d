#pragma once

#include "base/result.h"
#include "cluster/resources.h"

#include <functional>
#include <memory>

namespace partita {

// What a deletion of a whole logical partition has done.
struct KeyErased {
  const PartitionPlace* place = nullptr;
  Lsn lsn;
  double charge = 0;
};

// Deletes all documents of one logical partition that are there now, some at a time; those that are written meanwhile stay. The
// callback runs once all of them are durably gone. May take long: call it from a worker.
void erase_key(const std::shared_ptr<const Container>& container, const PartitionKey& key,
               std::move_only_function<void(Result<KeyErased>)> callback);

}  // namespace partita
