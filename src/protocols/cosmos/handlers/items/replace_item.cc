#include "protocols/cosmos/handlers/handlers.h"
#include "protocols/cosmos/handlers/items/item_answer.h"
#include "protocols/cosmos/handlers/items/triggered_write.h"

namespace partita::cosmos {

void replace_item(const Service& service, ExchangePtr exchange) {
  const Result<std::shared_ptr<const Container>> container = service.container(*exchange);
  if (!container) return exchange->answer_error(container.error());
  const Result<ItemName> name = item_name(*exchange, **container);
  if (!name) return exchange->answer_error(name.error());
  if (const Status kept = check_keeps_id(*exchange, **container, *name); !kept) return exchange->answer_error(kept.error());
  const ItemConditions conditions = conditions_of(*exchange);
  if (exchange->operation().runs_triggers) {
    return write_named_with_triggers(service, std::move(exchange), *container, *name, ItemVerb::kReplace);
  }
  const std::string_view body = exchange->request().body;
  const RequestTerms terms = service.terms(*exchange);
  auto callback = [&service, exchange = std::move(exchange)](Result<ItemOutcome> outcome) mutable {
    answer_item(service, std::move(exchange), std::move(outcome), 200);
  };
  service.items().replace(*container, *name, body, conditions, std::move(callback), terms);
}

}  // namespace partita::cosmos
