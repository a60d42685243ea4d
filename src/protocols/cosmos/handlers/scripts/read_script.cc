#include "partition/charge/request_units.h"
#include "protocols/cosmos/handlers/handlers.h"
#include "protocols/cosmos/handlers/scripts/script_answer.h"

namespace partita::cosmos {

void read_script(const Service& service, ExchangePtr exchange) {
  const Result<std::shared_ptr<const Container>> container = service.container(*exchange);
  if (!container) return exchange->answer_error(container.error());
  exchange->set_charge(kMetadataReadCharge);
  const ScriptType type = script_type(exchange->path().kind());
  answer_script(*exchange, **container,
                service.catalog().scripts().find(**container, type, script_name(exchange->path(), **container)), 200);
}

}  // namespace partita::cosmos
