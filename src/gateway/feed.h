#pragma once

#include "base/result.h"
#include "cluster/resources.h"

#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace partita {

inline constexpr size_t kFeedPageBytesMax = 4 * 1024 * 1024;
inline constexpr size_t kFeedPageItemsDefault = 100;
inline constexpr size_t kFeedPageItemsMax = 10'000;
// Documents looked at for one page, also when most of them do not belong to it.
inline constexpr size_t kFeedPageScanMax = 50'000;

// FeedPosition: how far a reader of a container has come. It names hashes and not partitions, so it stays good when partitions
// split or merge: within `range` everything up to document number `after` has been read, below `range` everything.
struct FeedPosition {
  EffectiveKeyRange range;
  DocumentNumber after;
};

struct FeedRequest {
  EffectiveKeyRange range;          // only documents whose hash lies in it
  std::optional<PartitionKey> key;  // only one logical partition, or those with this prefix
  std::optional<FeedPosition> from;
  size_t items_max = kFeedPageItemsDefault;
};

struct FeedPage {
  std::vector<Item> items;                     // partitions in the order of their ranges, within each the order of insertion
  std::vector<EffectiveKeyRange> item_ranges;  // of each item: the range it was read in
  std::optional<FeedPosition> next;            // nothing: that was all
  const PartitionPlace* place = nullptr;       // the last one touched
  Lsn lsn;                                     // how far it was
  double charge = 0;

  // Where to go on to get what follows this item.
  FeedPosition position_after(size_t item) const { return {item_ranges[item], items[item].number}; }
};

// A partition from which something was read that was not durable yet, and how far it must get.
struct Unsettled {
  std::shared_ptr<Partition> partition;
  Lsn seen;
};
// Calls back once all of them have got there.
void when_all_durable(std::vector<Unsettled> unsettled, std::move_only_function<void(Status)> callback);

// One page, at once; what of it is not durable yet is added to `unsettled`.
Result<FeedPage> read_feed_page(const Container& container, const FeedRequest& request, std::vector<Unsettled>& unsettled);

// One page of a container's documents. The callback runs once everything on the page is durable.
void read_feed(const std::shared_ptr<const Container>& container, const FeedRequest& request,
               std::move_only_function<void(Result<FeedPage>)> callback);

}  // namespace partita
