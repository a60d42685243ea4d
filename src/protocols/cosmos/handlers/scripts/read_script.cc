#include "partition/charge/request_units.h"
#include "protocols/cosmos/dispatch.h"
#include "protocols/cosmos/handlers/handlers.h"
#include "protocols/cosmos/handlers/scripts/script_answer.h"

namespace partita::cosmos {

void read_script(const Service& service, ExchangePtr exchange) {
  const Result<std::shared_ptr<const Container>> container = service.container(*exchange);
  if (!container) return exchange->answer_error(container.error());
  const ScriptType type = script_type(exchange->path().kind());
  const Result<ScriptPtr> script =
      service.catalog().scripts().find(**container, type, script_name(exchange->path(), **container));
  if (script && is_long_to_write(*exchange, (*script)->definition.body.size() + (*script)->definition.properties.size())) {
    return leave_to_worker(service, std::move(exchange));
  }
  exchange->set_charge(kMetadataReadCharge);
  answer_script(*exchange, **container, script, 200);
}

}  // namespace partita::cosmos
