#pragma once

#include "base/result.h"
#include "engine/time_to_live.h"
#include "partition/partition_client.h"

#include <functional>

namespace partita {

// How far the walk over one partition's changes has come, by the time to live that it was made with.
struct ExpiryWalk {
  TimeToLive time_to_live;
  Lsn done = {};  // everything up to here is removed or has a time of its own
};

// Visits documents of one partition that have expired and are still stored, until the visitor returns false.
//
// Documents with a time of their own have a row in the order of expiry. All others of a container expire in the order of their
// last write, so the changes are walked in that order, from where the last walk stood, up to the first that is still alive.
Status visit_expired(const PartitionClient& partition, ExpiryWalk& walk, const std::function<bool(const Item&)>& visit);

}  // namespace partita
