#include "protocols/cosmos/handlers/handlers.h"
#include "protocols/cosmos/handlers/metadata_feed.h"
#include "protocols/cosmos/handlers/script_answer.h"

namespace partita::cosmos {

void list_scripts(const Service& service, ExchangePtr exchange) {
  const Result<std::shared_ptr<const Container>> container = service.container(*exchange);
  if (!container) return exchange->answer_error(container.error());
  const ScriptType type = script_type(exchange->path().kind());
  std::vector<FeedRow> rows;
  for (const ScriptPtr& script : service.catalog().scripts(**container, type)) {
    StoredWriter out;
    write_script(out, *script);
    rows.push_back({script->number, out.take()});
  }
  answer_metadata_feed(service, *exchange, (*container)->rid(), script_feed_name(type), std::move(rows));
}

}  // namespace partita::cosmos
