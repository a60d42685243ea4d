#include "protocols/cosmos/handlers/items/triggered_write.h"

#include "protocols/cosmos/handlers/items/item_answer.h"
#include "protocols/cosmos/handlers/scripts/script_answer.h"

namespace partita::cosmos {
namespace {

int status_of(ItemVerb verb, bool was_created) {
  if (verb == ItemVerb::kErase) return 204;
  return was_created ? 201 : 200;
}

void answer(const Service& service, Exchange& exchange, ItemVerb verb, const Result<TriggeredOutcome>& outcome) {
  if (!outcome) return answer_item_error(service, exchange, outcome.error());
  set_item_headers(exchange, outcome->item);
  add_script_log(exchange, outcome->log);
  const int status = status_of(verb, outcome->item.was_created);
  if (verb == ItemVerb::kErase) return exchange.answer(status);
  exchange.set_etag(outcome->item.item.etag());
  if (prefers_minimal(exchange)) return exchange.answer(status);
  exchange.answer_with(status, outcome->body);
}

}  // namespace

void write_with_triggers(const Service& service, ExchangePtr exchange, const std::shared_ptr<const Container>& container,
                         ItemOperation operation) {
  Result<Triggers> triggers = service.scripts().find_triggers(*container, operation.verb, exchange->header(header::kPreTriggers),
                                                              exchange->header(header::kPostTriggers));
  if (!triggers) return exchange->answer_error(triggers.error());
  const ItemVerb verb = operation.verb;
  const TriggeredCall call{.operation = std::move(operation),
                           .document = std::string(exchange->request().body),
                           .triggers = *std::move(triggers),
                           .is_logging = exchange->is_header_true(header::kScriptLogging),
                           .is_abandoned = exchange->request().is_abandoned};
  service.scripts().write(container, call, [&service, exchange = std::move(exchange), verb](Result<TriggeredOutcome> outcome) {
    answer(service, *exchange, verb, outcome);
  });
}

void write_named_with_triggers(const Service& service, ExchangePtr exchange, const std::shared_ptr<const Container>& container,
                               const ItemName& name, ItemVerb verb) {
  Result<ResolvedName> resolved = resolve(*container, name);
  if (!resolved) return exchange->answer_error(resolved.error());
  ItemOperation operation{.verb = verb,
                          .id = std::move(resolved->id),
                          .key = std::move(resolved->key),
                          .body = {},
                          .if_match = std::string(exchange->header(header::kIfMatch)),
                          .priority = service.terms(*exchange).priority};
  write_with_triggers(service, std::move(exchange), container, std::move(operation));
}

}  // namespace partita::cosmos
