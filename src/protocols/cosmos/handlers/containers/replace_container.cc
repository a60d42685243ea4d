#include "document/json/definition_json.h"
#include "engine/index/search_policies.h"
#include "partition/charge/request_units.h"
#include "protocols/cosmos/codec/resource_json.h"
#include "protocols/cosmos/handlers/containers/container_answer.h"
#include "protocols/cosmos/handlers/handlers.h"

namespace partita::cosmos {
namespace {

Result<std::shared_ptr<const Container>> replace(const Service& service, const Exchange& exchange) {
  TRY_ASSIGN(const std::shared_ptr<const Container> before, service.container(exchange));
  TRY_ASSIGN(const std::string body, definition_from_json(exchange.request().body));
  TRY_ASSIGN(ContainerDefinition definition, parse_container(Value::view(body), false));
  StoredWriter shown;
  write_container(shown, *before, false);
  TRY(check_search_policy_change(shown.view(), Value::view(body)));
  const PartitionKeyDefinition& key = definition.partition_key;
  // A body may leave the key out, or show the system key that a container without partition key was read with.
  if (key.paths.empty() || (!before->has_partition_key() && key.is_system_key)) {
    definition.partition_key = before->definition.partition_key;
    TRY_ASSIGN(IndexingPolicy indexing, IndexingPolicy::parse(Value::view(body).find("indexingPolicy"), definition.partition_key,
                                                              Value::view(body).find("fullTextPolicy")));
    definition.indexing = std::make_shared<const IndexingPolicy>(std::move(indexing));
  }
  return service.catalog().replace_container(exchange.path().database(), exchange.path().name(), std::move(definition),
                                             exchange.header(header::kIfMatch));
}

}  // namespace

void replace_container(const Service& service, ExchangePtr exchange) {
  exchange->set_charge(kMetadataWriteCharge);
  answer_container(*exchange, replace(service, *exchange), 200);
}

}  // namespace partita::cosmos
