#pragma once

#include "base/result.h"
#include "document/partition_key.h"
#include "protocols/cosmos/exchange.h"

#include <optional>

namespace partita::cosmos {

// Which of a container's documents a feed or a query is about.
struct FeedScope {
  EffectiveKeyRange range;
  std::optional<PartitionKey> key;
};

// From the headers: one logical partition, one physical partition, a range of hashes, or everything.
// kPartitionGone when the named physical partition does not exist (any more).
Result<FeedScope> feed_scope(const Exchange& exchange, const Container& container);

// The physical partition that the request names; null when it names none.
Result<const PartitionPlace*> named_place(const Exchange& exchange, const Container& container);

}  // namespace partita::cosmos
