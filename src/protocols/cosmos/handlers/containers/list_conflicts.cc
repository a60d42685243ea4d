#include "protocols/cosmos/handlers/handlers.h"
#include "protocols/cosmos/handlers/items/feed_scope.h"
#include "protocols/cosmos/handlers/metadata_feed.h"

namespace partita::cosmos {

// Conflicts arise between regions that write; there is one region, so there are none.
void list_conflicts(const Service& service, ExchangePtr exchange) {
  const Result<std::shared_ptr<const Container>> container = service.container(*exchange);
  if (!container) return exchange->answer_error(container.error());
  const bool is_query = exchange->operation().action == Action::kQuery;
  if (is_query && (*container)->has_partition_key() && !names_its_partitions(*exchange)) {
    if (const Status checked = check_may_cross_partitions(*exchange); !checked) return exchange->answer_error(checked.error());
  }
  answer_metadata_feed(service, *exchange, (*container)->rid(), "Conflicts", {});
}

}  // namespace partita::cosmos
