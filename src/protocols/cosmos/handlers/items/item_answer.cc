#include "protocols/cosmos/handlers/items/item_answer.h"

#include "cluster/tenants.h"
#include "document/json/json.h"
#include "protocols/cosmos/codec/resource_id.h"
#include "protocols/cosmos/dispatch.h"

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

// A number finds a document whatever its partition key. When there is none (any more), it is not looked for by its id.
Result<ItemName> item_by_number(const Exchange& exchange, const Container& container, DocumentNumber number) {
  ItemName name{.id = {}, .number = number, .key = std::nullopt};
  if (!exchange.limits().key) return name;
  TRY_ASSIGN(const ResolvedName resolved, resolve(container, name));
  if (resolved.key == *exchange.limits().key) return name;
  return fail(ErrorCode::kForbidden, "The resource token does not permit this: it is for another partition key.");
}

}  // namespace

std::optional<DocumentNumber> number_in_item_rid(std::string_view text, const Container& container) {
  const auto rid = parse_child_rid(text, ContainerChild::kItem);
  if (!rid || rid->container != ContainerRid{container.database->number, container.number}) return std::nullopt;
  return DocumentNumber{rid->ordinal};
}

Result<ItemName> item_name(const Exchange& exchange, const Container& container) {
  ItemName name{.id = exchange.path().item(), .number = std::nullopt, .key = std::nullopt};
  if (exchange.path().is_resource_id_shaped()) name.number = number_in_item_rid(name.id, container);
  if (name.number) return item_by_number(exchange, container, *name.number);
  TRY_ASSIGN(name.key, exchange.partition_key());
  return name;
}

Status check_keeps_id(const Exchange& exchange, const Container& container, const ItemName& name) {
  if (!exchange.limits().is_one_resource) return {};
  const Result<std::string> body = stored_from_json(exchange.request().body);
  if (!body) return {};  // refused for that
  TRY_ASSIGN(const ResolvedName resolved, resolve(container, name));
  const Value id = Value::view(*body).find("id");
  if (id.is_string() && id.string() == resolved.id) return {};
  return fail(ErrorCode::kForbidden, "The resource token does not permit this: it is for one document, which keeps its id.");
}

bool prefers_minimal(const Exchange& exchange) {
  return net::equal_without_case(exchange.header(header::kPrefer), "return=minimal");
}

void set_item_headers(Exchange& exchange, const ItemOutcome& outcome) {
  exchange.set_charge(outcome.charge);
  exchange.set_session(*outcome.place, outcome.lsn);
  exchange.set_owner(*outcome.container);
  if (exchange.is_direct() && !exchange.operation().is_write()) {
    exchange.response().header(header::kItemLsn, std::to_string(outcome.item.lsn().value));
  }
}

void answer_item_error(const Service& service, Exchange& exchange, const Error& error) {
  const bool tells_of_documents = error.code == ErrorCode::kNotFound || error.code == ErrorCode::kAlreadyExists ||
                                  error.code == ErrorCode::kPreconditionFailed;
  if (tells_of_documents) (void)set_session_by_key(service, exchange);  // one without a key has none
  exchange.answer_error(error);
}

ItemConditions conditions_of(const Exchange& exchange) {
  const bool is_on_worker = exchange.turn() != nullptr;
  return {.if_match = exchange.header(header::kIfMatch), .bytes_max = is_on_worker ? SIZE_MAX : kStoredBytesAtOnceMax};
}

void begin_again(const Service& service, ExchangePtr exchange, const Container& container) {
  service.answer_by_worker(tenant_of(container), std::move(exchange), [&service](ExchangePtr later, Turn&) {
    const Operation::Handler handler = later->operation().handler;
    handler(service, std::move(later));
  });
}

void answer_item(const Service& service, ExchangePtr exchange, Result<ItemOutcome> outcome, int status) {
  if (!outcome) return answer_item_error(service, *exchange, outcome.error());
  if (outcome->is_left) return begin_again(service, std::move(exchange), *outcome->container);
  set_item_headers(*exchange, *outcome);
  exchange->set_etag(outcome->item.etag());
  const bool is_write = exchange->operation().is_write();
  if (is_write && prefers_minimal(*exchange)) return exchange->answer(status);
  const size_t bytes = outcome->item.record.size();
  if (bytes <= kAnswerBytesAtOnceMax) {
    append_json(exchange->response().body, outcome->item.document());
    return exchange->finish(status);
  }
  const Tenant tenant = tenant_of(*outcome->container);
  auto write = [item = std::move(outcome->item), memory = std::move(outcome->memory), status](Exchange& later) mutable {
    append_json(later.response().body, item.document());
    memory.shrink_to(0);  // the connection counts what was written
    later.finish(status);
  };
  service.answer_large(tenant, std::move(exchange), bytes, std::move(write));
}

}  // namespace partita::cosmos
