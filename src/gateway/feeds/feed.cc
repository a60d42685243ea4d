#include "gateway/feeds/feed.h"

#include "gateway/feeds/partition_page.h"

namespace partita {
namespace {

// Documents that are read between two looks whether others wait.
constexpr size_t kDocumentsPerTurn = 32;

}  // namespace

Status let_others_work(Turn* turn) {
  if (turn == nullptr) return {};
  turn->give_way();
  if (turn->is_cancelled()) return fail(ErrorCode::kTimeout, "The client no longer waits for the page.");
  return {};
}

Result<FeedPage> read_feed_page(const Container& container, const FeedRequest& request, std::vector<PendingDurability>& pending) {
  FeedPage page;
  size_t bytes = 0;
  size_t scanned = 0;
  size_t scanned_bytes = 0;
  std::optional<FeedPosition> last;
  DocumentReader reader(container, request, {}, pending);
  while (true) {
    TRY_ASSIGN(const bool has_document, reader.next());
    page.place = reader.place();
    page.lsn = reader.lsn();
    if (!has_document) break;
    const bool is_full = page.items.size() >= request.items_max || bytes >= kFeedPageBytesMax || scanned >= kFeedPageScanMax ||
                         scanned_bytes >= kFeedPageScanBytesMax;
    if (is_full) {
      page.next = last ? last : request.from;
      break;
    }
    if (scanned % kDocumentsPerTurn == 0) TRY(let_others_work(request.turn));
    ++scanned;
    scanned_bytes += reader.record().size();
    last = reader.position();
    if (!reader.is_wanted()) continue;
    bytes += reader.record().size();
    page.items.push_back({reader.number(), std::string(reader.record())});
  }
  page.work = {.pages = 1, .documents_loaded = scanned, .loaded_bytes = bytes};
  return page;
}

namespace {

// `range`: of the one partition, which the page ends with.
Result<FeedPage> read_partition_page(const Container& container, const FeedRequest& request, const EffectiveKeyRange& range,
                                     std::vector<PendingDurability>& pending) {
  FeedRequest of_partition = request;
  of_partition.range = range;
  TRY_ASSIGN(FeedPage page, read_feed_page(container, of_partition, pending));
  if (page.next) return page;
  std::optional<EffectiveKeyRange> behind = range_behind(container, request.range, range);
  if (behind) page.next = FeedPosition{*std::move(behind), {}};
  return page;
}

}  // namespace

void read_feed(const std::shared_ptr<const Container>& container, const FeedRequest& request,
               std::move_only_function<void(Result<FeedPage>)> callback) {
  EffectiveKeyRange rest = request.range;
  if (request.from) rest.min = std::max(rest.min, request.from->range.min);
  if (request.ends_with_partition) rest = page_range(*container, request.range, request.from ? &*request.from : nullptr);
  Result<RequestCharge> request_charge = RequestCharge::open(*container, rest, request.terms);
  if (!request_charge) return callback(std::unexpected(std::move(request_charge).error()));
  std::vector<PendingDurability> pending;
  Result<FeedPage> page = request.ends_with_partition ? read_partition_page(*container, request, rest, pending)
                                                      : read_feed_page(*container, request, pending);
  if (!page) return callback(std::move(page));
  // A page seldom has documents of several partitions; then the last one pays for all.
  if (page->place != nullptr) request_charge->work_in(*page->place->partition) = page->work;
  page->charge = request_charge->settle(request.key ? std::string_view(request.range.min) : std::string_view());
  when_all_durable(std::move(pending),
                   [container, page = std::move(page), callback = std::move(callback)](Status durable) mutable {
                     if (!durable) return callback(std::unexpected(std::move(durable).error()));
                     callback(std::move(page));
                   });
}

}  // namespace partita
