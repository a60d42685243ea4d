#include "partition/charge/request_units.h"
#include "protocols/cosmos/handlers/children/child_answer.h"
#include "protocols/cosmos/handlers/handlers.h"

namespace partita::cosmos {

void read_child(const Service& service, ExchangePtr exchange) {
  exchange->set_charge(kMetadataReadCharge);
  const Result<ChildPlace> place = child_place(service, *exchange);
  if (!place) return exchange->answer_error(place.error());
  const Result<ChildPtr> child = service.catalog().children().find(*place, child_name(*exchange));
  if (child && exchange->header(header::kIfNoneMatch) == (*child)->revision.etag) return exchange->answer(304);
  answer_child(service, *exchange, child, 200);
}

}  // namespace partita::cosmos
