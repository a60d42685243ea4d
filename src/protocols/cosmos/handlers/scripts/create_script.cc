#include "document/json/definition_json.h"
#include "partition/charge/request_units.h"
#include "protocols/cosmos/handlers/handlers.h"
#include "protocols/cosmos/handlers/scripts/script_answer.h"

namespace partita::cosmos {
namespace {

// Whether its text is a function is found out when it is run.
void create(const Service& service, Exchange& exchange, const Container& container) {
  const ScriptType type = script_type(exchange.path().kind());
  const bool is_upsert = exchange.operation().action == Action::kUpsert;
  const auto written = [&]() -> Result<ScriptWritten> {
    TRY_ASSIGN(const std::string body, definition_from_json(exchange.request().body));
    TRY_ASSIGN(ScriptDefinition definition, parse_script(Value::view(body), type));
    service.scripts().engine().expect_scripts();  // a host starts while the script is written
    return service.catalog().scripts().write(container, type, std::move(definition), is_upsert);
  }();
  exchange.set_charge(kMetadataWriteCharge);
  if (!written) return exchange.answer_error(written.error());
  answer_script(exchange, container, written->script, written->was_created ? 201 : 200);
}

}  // namespace

// Create or, when the request says so, upsert.
void create_script(const Service& service, ExchangePtr exchange) {
  const Result<std::shared_ptr<const Container>> container = service.container(*exchange);
  if (!container) return exchange->answer_error(container.error());
  create(service, *exchange, **container);
}

}  // namespace partita::cosmos
