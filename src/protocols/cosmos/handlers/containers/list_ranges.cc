#include "document/json/json.h"
#include "partition/charge/request_units.h"
#include "protocols/cosmos/codec/resource_json.h"
#include "protocols/cosmos/handlers/handlers.h"
#include "protocols/cosmos/handlers/metadata_feed.h"

namespace partita::cosmos {

// Clients read this as a feed of changes and ask again until nothing is new: with the etag of the current list the answer is 304.
void list_ranges(const Service& service, ExchangePtr exchange) {
  const Result<std::shared_ptr<const Container>> found = service.container(*exchange);
  if (!found) return exchange->answer_error(found.error());
  const Container& container = **found;
  const std::string etag = ranges_etag(container);
  exchange->set_charge(kMetadataReadCharge);
  exchange->set_etag(etag);
  exchange->set_owner(container);
  if (exchange->header(header::kIfNoneMatch) == etag) return exchange->answer(304);
  std::string& body = exchange->response().body;
  begin_feed_body(body, container.rid(), "PartitionKeyRanges");
  for (const PartitionPlace& place : container.places) {
    if (&place != &container.places.front()) body += ',';
    StoredWriter out;
    write_range(out, container, place);
    append_json(body, out.view());
  }
  end_feed_body(body, container.places.size());
  exchange->response().header(header::kItemCount, std::to_string(container.places.size()));
  exchange->finish(200);
}

}  // namespace partita::cosmos
