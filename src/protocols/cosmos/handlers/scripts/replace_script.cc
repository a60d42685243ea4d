#include "document/json/definition_json.h"
#include "partition/charge/request_units.h"
#include "protocols/cosmos/handlers/handlers.h"
#include "protocols/cosmos/handlers/scripts/script_answer.h"

namespace partita::cosmos {
namespace {

Result<ScriptPtr> replace(const Service& service, const Exchange& exchange, const Container& container) {
  const ScriptType type = script_type(exchange.path().kind());
  TRY_ASSIGN(const std::string body, definition_from_json(exchange.request().body));
  TRY_ASSIGN(ScriptDefinition definition, parse_script(Value::view(body), type));
  const ResourceName name = script_name(exchange.path(), container);
  if (exchange.limits().is_one_resource) {
    TRY_ASSIGN(const ScriptPtr before, service.catalog().scripts().find(container, type, name));
    if (before->definition.id != definition.id) {
      return fail(ErrorCode::kForbidden, "The resource token does not permit this: it is for one script, which keeps its id.");
    }
  }
  return service.catalog().scripts().replace(container, type, name, std::move(definition), exchange.header(header::kIfMatch));
}

}  // namespace

void replace_script(const Service& service, ExchangePtr exchange) {
  const Result<std::shared_ptr<const Container>> container = service.container(*exchange);
  if (!container) return exchange->answer_error(container.error());
  exchange->set_charge(kMetadataWriteCharge);
  answer_script(*exchange, **container, replace(service, *exchange, **container), 200);
}

}  // namespace partita::cosmos
