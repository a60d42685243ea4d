#include "partition/charge/request_units.h"
#include "protocols/cosmos/handlers/databases/database_answer.h"
#include "protocols/cosmos/handlers/handlers.h"

namespace partita::cosmos {

void read_database(const Service& service, ExchangePtr exchange) {
  exchange->set_charge(kMetadataReadCharge);
  const Result<std::shared_ptr<const Database>> database = service.catalog().database(exchange->path().name());
  if (database && exchange->header(header::kIfNoneMatch) == (*database)->revision.etag) return exchange->answer(304);
  answer_database(*exchange, database, 200);
}

}  // namespace partita::cosmos
