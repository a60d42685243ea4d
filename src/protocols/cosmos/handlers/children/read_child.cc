#include "partition/charge/request_units.h"
#include "protocols/cosmos/dispatch.h"
#include "protocols/cosmos/handlers/children/child_answer.h"
#include "protocols/cosmos/handlers/handlers.h"

namespace partita::cosmos {

void read_child(const Service& service, ExchangePtr exchange) {
  const Result<ChildPlace> place = child_place(service, *exchange);
  const Result<ChildPtr> child =
      place ? service.catalog().children().find(*place, child_name(*exchange)) : Result<ChildPtr>(std::unexpected(place.error()));
  if (child && is_long_to_write(*exchange, (*child)->definition.properties.size())) {
    return leave_to_worker(service, std::move(exchange));
  }
  exchange->set_charge(kMetadataReadCharge);
  if (child && exchange->header(header::kIfNoneMatch) == (*child)->revision.etag) return exchange->answer(304);
  answer_child(service, *exchange, child, 200);
}

}  // namespace partita::cosmos
