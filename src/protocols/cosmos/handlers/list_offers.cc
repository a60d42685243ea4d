#include "protocols/cosmos/codec/throughput.h"
#include "protocols/cosmos/handlers/handlers.h"
#include "protocols/cosmos/handlers/metadata_feed.h"

namespace partita::cosmos {

void list_offers(const Service& service, ExchangePtr exchange) {
  std::vector<FeedRow> rows;
  for (const std::shared_ptr<const Offer>& offer : service.catalog().offers()) {
    StoredWriter out;
    write_offer(out, *offer, use_of(service.catalog(), *offer));
    rows.push_back({offer->number, out.take()});
  }
  answer_metadata_feed(service, *exchange, "", "Offers", std::move(rows));
}

}  // namespace partita::cosmos
