#include "protocols/cosmos/handlers/child_answer.h"
#include "protocols/cosmos/handlers/handlers.h"
#include "protocols/cosmos/handlers/metadata_feed.h"

namespace partita::cosmos {

void list_children(const Service& service, ExchangePtr exchange) {
  const Result<ChildPlace> place = child_place(service, *exchange);
  if (!place) return exchange->answer_error(place.error());
  std::vector<FeedRow> rows;
  for (const ChildPtr& child : service.catalog().children(*place)) {
    StoredWriter out;
    if (const Status written = write_child(out, service, *exchange, *child); !written)
      return exchange->answer_error(written.error());
    rows.push_back({child->number, out.take()});
  }
  answer_metadata_feed(service, *exchange, owner_rid(*place), child_feed_name(place->type), std::move(rows));
}

}  // namespace partita::cosmos
