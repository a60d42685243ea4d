#include "partition/charge/request_units.h"
#include "protocols/cosmos/handlers/handlers.h"
#include "protocols/cosmos/handlers/scripts/script_answer.h"

namespace partita::cosmos {

void delete_script(const Service& service, ExchangePtr exchange) {
  const Result<std::shared_ptr<const Container>> container = service.container(*exchange);
  if (!container) return exchange->answer_error(container.error());
  exchange->set_charge(kMetadataWriteCharge);
  exchange->set_owner(**container);
  const ScriptType type = script_type(exchange->path().kind());
  const Status deleted = service.catalog().scripts().erase(**container, type, script_name(exchange->path(), **container),
                                                           exchange->header(header::kIfMatch));
  exchange->answer(deleted, 204);
}

}  // namespace partita::cosmos
