#include "protocols/cosmos/handlers/handlers.h"
#include "protocols/cosmos/handlers/metadata_feed.h"
#include "protocols/cosmos/handlers/scripts/script_answer.h"

namespace partita::cosmos {

void list_scripts(const Service& service, ExchangePtr exchange) {
  const Result<std::shared_ptr<const Container>> container = service.container(*exchange);
  if (!container) return exchange->answer_error(container.error());
  const ScriptType type = script_type(exchange->path().kind());
  const auto write = [](const ScriptResource& script, StoredWriter& out) {
    write_script(out, script);
    return Status();
  };
  const Listing listing = listing_of(service.catalog().scripts().list(**container, type), write);
  answer_metadata_feed(service, *exchange, (*container)->rid(), script_feed_name(type), listing);
}

}  // namespace partita::cosmos
