#include "protocols/cosmos/handlers/handlers.h"
#include "protocols/cosmos/handlers/items/item_answer.h"
#include "protocols/cosmos/handlers/items/triggered_write.h"

namespace partita::cosmos {

void delete_item(const Service& service, ExchangePtr exchange) {
  const Result<std::shared_ptr<const Container>> container = service.container(*exchange);
  if (!container) return exchange->answer_error(container.error());
  const Result<ItemName> name = item_name(*exchange, **container);
  if (!name) return exchange->answer_error(name.error());
  const ItemConditions conditions = conditions_of(*exchange);
  if (exchange->operation().runs_triggers) {
    return write_named_with_triggers(service, std::move(exchange), *container, *name, ItemVerb::kErase);
  }
  const RequestTerms terms = service.terms(*exchange);
  auto callback = [&service, exchange = std::move(exchange)](Result<ItemOutcome> outcome) mutable {
    if (!outcome) return answer_item_error(service, *exchange, outcome.error());
    if (outcome->is_left) return begin_again(service, std::move(exchange), *outcome->container);
    set_item_headers(*exchange, *outcome);
    exchange->answer(204);
  };
  service.items().erase(*container, *name, conditions, std::move(callback), terms);
}

}  // namespace partita::cosmos
