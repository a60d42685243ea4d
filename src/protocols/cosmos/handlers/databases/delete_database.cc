#include "partition/charge/request_units.h"
#include "protocols/cosmos/handlers/handlers.h"

namespace partita::cosmos {

void delete_database(const Service& service, ExchangePtr exchange) {
  exchange->set_charge(kMetadataWriteCharge);
  exchange->answer(service.catalog().delete_database(exchange->path().name(), exchange->header(header::kIfMatch)), 204);
}

}  // namespace partita::cosmos
