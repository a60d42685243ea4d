#include "protocols/cosmos/handlers/queries/plan_query.h"

#include "partition/charge/request_units.h"
#include "protocols/cosmos/codec/query_features.h"
#include "protocols/cosmos/codec/query_plan.h"
#include "protocols/cosmos/dispatch.h"
#include "protocols/cosmos/handlers/handlers.h"
#include "query/distribute/service_limits.h"

namespace partita::cosmos {

namespace {

Status write_plan(const Service& service, const Container& container, const Exchange& exchange, StoredWriter& out) {
  TRY_ASSIGN(const auto query, service.queries().prepare(exchange.request().body, container));
  const bool is_extended = service.fidelity(exchange) == Fidelity::kExtended;
  const std::optional<std::string_view> features = exchange.request().find_header(header::kSupportedFeatures);
  const PartitionKeyDefinition& definition = container.definition.partition_key;
  const query::Schema schema = query::Schema::of(Value::view(container.definition.properties_for_queries()));
  const bool counts_distinct = is_extended || names_query_feature(features.value_or(""), "DCount");
  TRY_ASSIGN(const query::DistributedQuery plan, query::distribute(query->specification, definition, schema,
                                                                   container.definition.synthetic_key.get(), counts_distinct));
  if (!is_extended) TRY(query::check_service_limits(query->specification, query->plan));
  // A refusal has the plan for clients that say nothing.
  if (!is_extended && exchange.operation().action == Action::kPlanQuery) TRY(check_query_features(plan, features));
  write_query_plan(out, plan, definition);
  return {};
}

}  // namespace

Status write_plan(const Service& service, const Exchange& exchange, StoredWriter& out) {
  TRY_ASSIGN(const std::shared_ptr<const Container> container, service.container(exchange));
  return write_plan(service, *container, exchange, out);
}

void plan_query(const Service& service, ExchangePtr exchange) {
  const Result<std::shared_ptr<const Container>> container = service.container(*exchange);
  if (!container) return exchange->answer_error(container.error());
  if (is_long_to_compile(*exchange, **container)) return leave_to_worker(service, std::move(exchange));
  StoredWriter out;
  if (Status written = write_plan(service, **container, *exchange, out); !written) return exchange->answer_error(written.error());
  exchange->set_charge(kMetadataReadCharge);
  exchange->answer_json(200, out.view());
}

}  // namespace partita::cosmos
