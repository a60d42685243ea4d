#pragma once

#include "base/result.h"
#include "partition/partition_client.h"

#include <functional>
#include <memory>
#include <vector>

namespace partita {

// A partition from which something was read that was not durable yet, and how far it must get.
struct PendingDurability {
  PartitionPtr partition;
  Lsn seen;
};
// Calls back once all of them have got there.
void when_all_durable(std::vector<PendingDurability> pending, std::move_only_function<void(Status)> callback);

}  // namespace partita
