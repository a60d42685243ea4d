#include "protocols/cosmos/handlers/item_answer.h"

#include "document/json.h"
#include "protocols/cosmos/codec/resource_id.h"

namespace partita::cosmos {
namespace {

// That of the partition in which the request's partition key is.
Status set_session_by_key(const Service& service, Exchange& exchange) {
  TRY_ASSIGN(const std::shared_ptr<const Container> container, service.container(exchange));
  TRY_ASSIGN(const std::optional<PartitionKey> given, exchange.partition_key());
  TRY_ASSIGN(const PartitionKey key, complete_key(given, container->definition.partition_key));
  const PartitionPlace& place = *locate(*container, key, {}).place;
  exchange.set_session(place, place.partition->durable_lsn());
  return {};
}

}  // namespace

std::optional<DocumentNumber> number_in_item_rid(std::string_view text, const Container& container) {
  const auto rid = parse_child_rid(text, ContainerChild::kItem);
  if (!rid || rid->container != ContainerRid{container.database->number, container.number}) return std::nullopt;
  return DocumentNumber{rid->ordinal};
}

Result<ItemName> item_name(const Exchange& exchange, const Container& container) {
  ItemName name{.id = exchange.path().name(), .number = std::nullopt, .key = std::nullopt};
  TRY_ASSIGN(name.key, exchange.partition_key());
  if (exchange.path().is_resource_id_shaped()) name.number = number_in_item_rid(name.id, container);
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

void answer_item_error(const Service& service, Exchange& exchange, const Error& error) {
  const bool tells_of_documents = error.code == ErrorCode::kNotFound || error.code == ErrorCode::kAlreadyExists ||
                                  error.code == ErrorCode::kPreconditionFailed;
  if (tells_of_documents) (void)set_session_by_key(service, exchange);  // one without a key has none
  exchange.answer_error(error);
}

void answer_item(const Service& service, Exchange& exchange, Result<ItemOutcome> outcome, int status) {
  if (!outcome) return answer_item_error(service, exchange, outcome.error());
  set_item_headers(exchange, *outcome);
  exchange.set_etag(outcome->item.etag());
  const bool is_write = exchange.request().method != "GET";
  if (is_write && prefers_minimal(exchange)) return exchange.answer(status);
  append_json(exchange.response().body, outcome->item.document());
  exchange.finish(status);
}

}  // namespace partita::cosmos
