#include "gateway/feed.h"

#include "partition/request_units.h"

namespace partita {

Result<FeedPage> read_feed_page(const Container& container, const FeedRequest& request, std::vector<Unsettled>& unsettled) {
  FeedPage page;
  size_t bytes = 0;
  size_t scanned = 0;
  std::optional<FeedPosition> last;
  DocumentReader reader(container, request, {}, unsettled);
  while (true) {
    TRY_ASSIGN(const bool has_document, reader.next());
    page.place = reader.place();
    page.lsn = reader.lsn();
    if (!has_document) break;
    const bool is_full = page.items.size() >= request.items_max || bytes >= kFeedPageBytesMax || scanned >= kFeedPageScanMax;
    if (is_full) {
      page.next = last ? last : request.from;
      break;
    }
    ++scanned;
    last = reader.position();
    if (!reader.is_wanted()) continue;
    bytes += reader.record().size();
    page.items.push_back({reader.number(), std::string(reader.record())});
  }
  page.charge = feed_charge(page.items.size(), bytes);
  return page;
}

void read_feed(const std::shared_ptr<const Container>& container, const FeedRequest& request,
               std::move_only_function<void(Result<FeedPage>)> callback) {
  std::vector<Unsettled> unsettled;
  Result<FeedPage> page = read_feed_page(*container, request, unsettled);
  if (!page) return callback(std::move(page));
  when_all_durable(std::move(unsettled),
                   [container, page = std::move(page), callback = std::move(callback)](Status durable) mutable {
                     if (!durable) return callback(std::unexpected(std::move(durable).error()));
                     callback(std::move(page));
                   });
}

}  // namespace partita
