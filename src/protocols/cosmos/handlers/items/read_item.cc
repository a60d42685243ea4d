#include "protocols/cosmos/handlers/handlers.h"
#include "protocols/cosmos/handlers/items/item_answer.h"

namespace partita::cosmos {

void read_item(const Service& service, ExchangePtr exchange) {
  const Result<std::shared_ptr<const Container>> container = service.container(*exchange);
  if (!container) return exchange->answer_error(container.error());
  const Result<ItemName> name = item_name(*exchange, **container);
  if (!name) return exchange->answer_error(name.error());
  const Result<SessionTokens> session = SessionTokens::parse(exchange->header(header::kSessionToken));
  if (!session) return exchange->answer_error(session.error());
  const auto demand = [&](const PartitionPlace& place) { return session->lsn_demanded(place.range_id, place.parents); };
  const RequestTerms terms = service.terms(*exchange);
  auto answer = [&service, exchange = std::move(exchange)](Result<ItemOutcome> outcome) mutable {
    const std::string_view if_none_match = exchange->header(header::kIfNoneMatch);
    const bool is_read = outcome && !outcome->is_left;
    if (is_read && !if_none_match.empty() && (if_none_match == "*" || if_none_match == outcome->item.etag())) {
      set_item_headers(*exchange, *outcome);
      exchange->set_etag(outcome->item.etag());
      return exchange->answer(304);
    }
    answer_item(service, std::move(exchange), std::move(outcome), 200);
  };
  service.items().read(*container, *name, demand, std::move(answer), terms);
}

}  // namespace partita::cosmos
