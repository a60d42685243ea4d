#include "document/json/json.h"
#include "protocols/cosmos/handlers/handlers.h"
#include "protocols/cosmos/handlers/scripts/script_answer.h"

namespace partita::cosmos {
namespace {

// The body is an array of arguments; nothing means none, and anything else is the only one.
Result<std::string> arguments_of(const Exchange& exchange) {
  const std::string_view body = exchange.request().body;
  if (body.find_first_not_of(" \t\r\n") == std::string_view::npos) return std::string("[]");
  TRY_ASSIGN(const std::string stored, stored_from_json(body));
  const Value value = Value::view(stored);
  if (value.is_null()) return std::string("[]");
  if (value.is_array()) return to_json(value);
  return "[" + to_json(value) + "]";
}

void answer(Exchange& exchange, const Container& container, const Result<ProcedureOutcome>& outcome) {
  exchange.set_owner(container);
  if (!outcome) return exchange.answer_error(outcome.error());
  exchange.set_charge(outcome->charge);
  exchange.set_session(*outcome->place, outcome->lsn);
  add_script_log(exchange, outcome->log);
  exchange.answer_with(200, outcome->body);
}

}  // namespace

void execute_procedure(const Service& service, ExchangePtr exchange) {
  const Result<std::shared_ptr<const Container>> container = service.container(*exchange);
  if (!container) return exchange->answer_error(container.error());
  const Result<ScriptPtr> procedure =
      service.catalog().scripts().find(**container, ScriptType::kStoredProcedure, script_name(exchange->path(), **container));
  if (!procedure) return exchange->answer_error(procedure.error());
  const Result<std::optional<PartitionKey>> key = exchange->partition_key();
  if (!key) return exchange->answer_error(key.error());
  Result<std::string> arguments = arguments_of(*exchange);
  if (!arguments) return exchange->answer_error(arguments.error());
  const ProcedureCall call{.procedure = *procedure,
                           .key = *key,
                           .arguments = *std::move(arguments),
                           .is_logging = exchange->is_header_true(header::kScriptLogging),
                           .priority = service.terms(*exchange).priority,
                           .is_abandoned = exchange->request().is_abandoned};
  service.scripts().execute(*container, call,
                            [exchange = std::move(exchange), container = *container](Result<ProcedureOutcome> outcome) {
                              answer(*exchange, *container, outcome);
                            });
}

}  // namespace partita::cosmos
