#include "protocols/cosmos/handlers/handlers.h"
#include "protocols/cosmos/handlers/items/item_answer.h"

namespace partita::cosmos {

// Clients send application/json-patch+json, application/json_patch+json or application/json; the body is the same.
void patch_item(const Service& service, ExchangePtr exchange) {
  const Result<std::shared_ptr<const Container>> container = service.container(*exchange);
  if (!container) return exchange->answer_error(container.error());
  const Result<ItemName> name = item_name(*exchange, **container);
  if (!name) return exchange->answer_error(name.error());
  const ItemConditions conditions = conditions_of(*exchange);
  const std::string_view body = exchange->request().body;
  const RequestTerms terms = service.terms(*exchange);
  auto callback = [&service, exchange = std::move(exchange)](Result<ItemOutcome> outcome) mutable {
    answer_item(service, std::move(exchange), std::move(outcome), 200);
  };
  service.items().patch(*container, *name, body, conditions, std::move(callback), terms);
}

}  // namespace partita::cosmos
