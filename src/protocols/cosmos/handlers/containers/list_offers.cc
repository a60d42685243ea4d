#include "protocols/cosmos/codec/throughput.h"
#include "protocols/cosmos/handlers/handlers.h"
#include "protocols/cosmos/handlers/metadata_feed.h"

namespace partita::cosmos {

void list_offers(const Service& service, ExchangePtr exchange) {
  const auto write = [&service](const Offer& offer, StoredWriter& out) {
    write_offer(out, offer, use_of(service.catalog(), offer));
    return Status();
  };
  answer_metadata_feed(service, *exchange, "", "Offers", listing_of(service.catalog().offers().list(), write));
}

}  // namespace partita::cosmos
