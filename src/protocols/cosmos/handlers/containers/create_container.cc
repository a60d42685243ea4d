#include "document/json/definition_json.h"
#include "partition/charge/request_units.h"
#include "protocols/cosmos/codec/resource_json.h"
#include "protocols/cosmos/codec/throughput.h"
#include "protocols/cosmos/handlers/containers/container_answer.h"
#include "protocols/cosmos/handlers/handlers.h"

namespace partita::cosmos {
namespace {

Result<std::shared_ptr<const Container>> create(const Service& service, const Exchange& exchange) {
  TRY_ASSIGN(const std::string body, definition_from_json(exchange.request().body));
  TRY_ASSIGN(ContainerDefinition definition, parse_container(Value::view(body), exchange.speaks_version(kModernVersion)));
  TRY_ASSIGN(const std::optional<Throughput> throughput, throughput_from_headers(exchange.request()));
  return service.catalog().create_container(exchange.path().database(), std::move(definition), throughput);
}

}  // namespace

void create_container(const Service& service, ExchangePtr exchange) {
  exchange->set_charge(kMetadataWriteCharge);
  answer_container(*exchange, create(service, *exchange), 201);
}

}  // namespace partita::cosmos
