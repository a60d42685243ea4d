#pragma once

#include "access/pending_durability.h"
#include "base/result.h"
#include "base/turn.h"
#include "cluster/resources.h"
#include "gateway/feeds/document_reader.h"
#include "gateway/request_charge.h"

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
inline constexpr size_t kFeedPageScanBytesMax = 64 << 20;

struct FeedRequest : DocumentScope {
  size_t items_max = kFeedPageItemsDefault;
  bool ends_with_partition = false;  // a page has documents of one partition only (partition_page.h)
  RequestTerms terms = {};
  Turn* turn = nullptr;  // of the job that reads it, if it is one
};

struct FeedPage {
  std::vector<Item> items;                // partitions in the order of their ranges, within each the order of insertion
  std::optional<FeedPosition> next;       // nothing: that was all
  const PartitionPlace* place = nullptr;  // the last one touched
  Lsn lsn;                                // how far it was
  WorkDone work;
  double charge = 0;
};

// What a reader of many documents does now and then: fails when nobody wants to have them any more. Without a turn it does
// nothing.
Status let_others_work(Turn* turn);

// One page, at once and without charging for it; what of it is not durable yet is added to `pending`.
Result<FeedPage> read_feed_page(const Container& container, const FeedRequest& request, std::vector<PendingDurability>& pending);

// One page of a container's documents. The callback runs once everything on the page is durable.
void read_feed(const std::shared_ptr<const Container>& container, const FeedRequest& request,
               std::move_only_function<void(Result<FeedPage>)> callback);

}  // namespace partita
