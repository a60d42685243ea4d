#include "protocols/cosmos/handlers/handlers.h"
#include "protocols/cosmos/handlers/items/item_answer.h"
#include "protocols/cosmos/handlers/items/triggered_write.h"

namespace partita::cosmos {

// Create or, when the request says so, upsert.
void create_item(const Service& service, ExchangePtr exchange) {
  const Result<std::shared_ptr<const Container>> container = service.container(*exchange);
  if (!container) return exchange->answer_error(container.error());
  const Result<std::optional<PartitionKey>> key = exchange->partition_key();
  if (!key) return exchange->answer_error(key.error());
  const std::string_view body = exchange->request().body;
  const std::string_view if_match = exchange->header(header::kIfMatch);
  const bool is_upsert = exchange->operation().action == Action::kUpsert;
  if (exchange->operation().runs_triggers) {
    ItemOperation operation{.verb = is_upsert ? ItemVerb::kUpsert : ItemVerb::kCreate,
                            .id = {},
                            .key = *key,
                            .takes_computed_key = service.terms(*exchange).takes_computed_key,
                            .body = {},
                            .if_match = std::string(if_match),
                            .priority = service.terms(*exchange).priority};
    return write_with_triggers(service, std::move(exchange), *container, std::move(operation));
  }
  const RequestTerms terms = service.terms(*exchange);
  const ItemConditions conditions = conditions_of(*exchange);
  auto callback = [&service, exchange = std::move(exchange)](Result<ItemOutcome> outcome) mutable {
    const int status = outcome && !outcome->was_created ? 200 : 201;
    answer_item(service, std::move(exchange), std::move(outcome), status);
  };
  if (is_upsert) return service.items().upsert(*container, body, *key, conditions, std::move(callback), terms);
  service.items().create(*container, body, *key, std::move(callback), terms);
}

}  // namespace partita::cosmos
