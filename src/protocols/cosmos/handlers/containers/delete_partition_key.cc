#include "gateway/items/erase_key.h"
#include "gateway/items/location.h"
#include "protocols/cosmos/handlers/handlers.h"

namespace partita::cosmos {
namespace {

Result<PartitionKey> whole_key(const Exchange& exchange, const Container& container) {
  TRY_ASSIGN(const std::optional<PartitionKey> given, exchange.partition_key());
  return complete_key(given, container.definition.partition_key);
}

void answer(Exchange& exchange, const Result<KeyErased>& erased) {
  if (!erased) return exchange.answer_error(erased.error());
  exchange.set_charge(erased->charge);
  exchange.set_session(*erased->place, erased->lsn);
  exchange.set_owner(*erased->container);
  exchange.answer(200);
}

}  // namespace

// All documents of one partition key. When it is answered, they are gone.
void delete_partition_key(const Service& service, ExchangePtr exchange) {
  const Result<std::shared_ptr<const Container>> container = service.container(*exchange);
  if (!container) return exchange->answer_error(container.error());
  const Result<PartitionKey> key = whole_key(*exchange, **container);
  if (!key) return exchange->answer_error(key.error());
  service.answer_by_worker(tenant_of(**container), std::move(exchange),
                           [&service, container = *container, key = *key](ExchangePtr later, Turn& turn) {
                             answer(*later, erase_key(service.catalog(), container, key, {.turn = &turn}));
                           });
}

}  // namespace partita::cosmos
