#include "partition/charge/request_units.h"
#include "protocols/cosmos/handlers/children/child_answer.h"
#include "protocols/cosmos/handlers/handlers.h"

namespace partita::cosmos {

void delete_child(const Service& service, ExchangePtr exchange) {
  exchange->set_charge(kMetadataWriteCharge);
  const Result<ChildPlace> place = child_place(service, *exchange);
  if (!place) return exchange->answer_error(place.error());
  exchange->answer(service.catalog().children().erase(*place, child_name(*exchange), exchange->header(header::kIfMatch)), 204);
}

}  // namespace partita::cosmos
