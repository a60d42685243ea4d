#include "protocols/cosmos/handlers/queries/plan_query.h"

#include "document/json/json.h"
#include "partition/charge/request_units.h"
#include "protocols/cosmos/codec/query_plan.h"
#include "protocols/cosmos/dispatch.h"
#include "protocols/cosmos/handlers/handlers.h"

namespace partita::cosmos {

namespace {

Status write_plan(const Container& container, const Exchange& exchange, StoredWriter& out) {
  TRY_ASSIGN(const std::string body, stored_from_json(exchange.request().body));
  TRY_ASSIGN(const query::QuerySpecification specification, query::QuerySpecification::from(Value::view(body)));
  const PartitionKeyDefinition& definition = container.definition.partition_key;
  const query::Schema schema = query::Schema::of(Value::view(container.definition.properties_for_queries()));
  TRY_ASSIGN(const query::DistributedQuery plan,
             query::distribute(specification, definition, schema, container.definition.synthetic_key.get()));
  write_query_plan(out, plan, definition);
  return {};
}

}  // namespace

Status write_plan(const Service& service, const Exchange& exchange, StoredWriter& out) {
  TRY_ASSIGN(const std::shared_ptr<const Container> container, service.container(exchange));
  return write_plan(*container, exchange, out);
}

void plan_query(const Service& service, ExchangePtr exchange) {
  const Result<std::shared_ptr<const Container>> container = service.container(*exchange);
  if (!container) return exchange->answer_error(container.error());
  if (is_long_to_compile(*exchange, **container)) return leave_to_worker(service, std::move(exchange));
  StoredWriter out;
  if (Status written = write_plan(**container, *exchange, out); !written) return exchange->answer_error(written.error());
  exchange->set_charge(kMetadataReadCharge);
  exchange->answer_json(200, out.view());
}

}  // namespace partita::cosmos
