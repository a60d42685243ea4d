#pragma once

#include "base/result.h"
#include "document/key/partition_key.h"
#include "protocols/cosmos/exchange.h"

#include <optional>

namespace partita::cosmos {

// Which of a container's documents a feed or a query is about.
struct FeedScope {
  EffectiveKeyRange range;  // ordered, and within the space of hashes whatever the headers say
  std::optional<PartitionKey> key;
};

// From the headers: one logical partition, one physical partition, a range of hashes, or everything. What was begun with an
// earlier page stays within its scope.
//
// kPartitionGone when the named physical partition does not exist (any more) and the client is to look for those that came from
// it. It is not told so when it could not do that right: in the middle of what it reads, and when partitions that overlap the
// named one have documents that were never in it (after a merge), which clients would read twice. Then the hashes are meant that
// the named partition had.
Result<FeedScope> feed_scope(const Exchange& exchange, const Container& container, const EffectiveKeyRange* begun = nullptr);

// Whether the request says which partitions it is about, be it one key.
bool names_its_partitions(const Exchange& exchange);
// A query that may have to read all partitions needs the client's consent: kInvalidInput without.
Status check_may_cross_partitions(const Exchange& exchange);

// The physical partition that the request names; null when it names none.
Result<const PartitionPlace*> named_place(const Exchange& exchange, const Container& container);

}  // namespace partita::cosmos
