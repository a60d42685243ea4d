#include "protocols/cosmos/handlers/item_answer.h"

#include "document/json.h"
#include "protocols/cosmos/codec/resource_id.h"

namespace partita::cosmos {

Result<ItemName> item_name(const Exchange& exchange, const Container& container) {
  ItemName name{.id = exchange.path().name(), .number = std::nullopt, .key = std::nullopt};
  TRY_ASSIGN(name.key, exchange.partition_key());
  if (exchange.path().is_resource_id_shaped()) {
    const auto rid = parse_child_rid(name.id, ContainerChild::kItem);
    if (rid && rid->container == ContainerRid{container.database->number, container.number})
      name.number = DocumentNumber{rid->ordinal};
  }
  return name;
}

bool prefers_minimal(const Exchange& exchange) {
  return net::equal_without_case(exchange.header(header::kPrefer), "return=minimal");
}

void set_item_headers(Exchange& exchange, const ItemOutcome& outcome) {
  exchange.set_charge(outcome.charge);
  exchange.set_session(*outcome.place, outcome.lsn);
  exchange.set_owner(*outcome.container);
}

void answer_item(Exchange& exchange, Result<ItemOutcome> outcome, int status) {
  if (!outcome) return exchange.answer_error(outcome.error());
  set_item_headers(exchange, *outcome);
  exchange.set_etag(outcome->item.etag());
  const bool is_write = exchange.request().method != "GET";
  if (is_write && prefers_minimal(exchange)) return exchange.answer(status);
  append_json(exchange.response().body, outcome->item.document());
  exchange.finish(status);
}

}  // namespace partita::cosmos
