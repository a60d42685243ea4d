#include "partition/charge/request_units.h"
#include "protocols/cosmos/handlers/containers/offer_answer.h"
#include "protocols/cosmos/handlers/handlers.h"

namespace partita::cosmos {

void read_offer(const Service& service, ExchangePtr exchange) {
  exchange->set_charge(kMetadataReadCharge);
  answer_offer(service, *exchange, find_offer(service, exchange->path().name()));
}

}  // namespace partita::cosmos
