#include "protocols/cosmos/handlers/children/child_answer.h"
#include "protocols/cosmos/handlers/handlers.h"
#include "protocols/cosmos/handlers/metadata_feed.h"

namespace partita::cosmos {

void list_children(const Service& service, ExchangePtr exchange) {
  const Result<ChildPlace> place = child_place(service, *exchange);
  if (!place) return exchange->answer_error(place.error());
  const auto write = [&](const DatabaseChild& child, StoredWriter& out) { return write_child(out, service, *exchange, child); };
  const Listing listing = listing_of(service.catalog().children().list(*place), write);
  answer_metadata_feed(service, *exchange, owner_rid(*place), child_feed_name(place->type), listing);
}

}  // namespace partita::cosmos
