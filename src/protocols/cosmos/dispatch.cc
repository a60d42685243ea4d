#include "protocols/cosmos/dispatch.h"

#include "cluster/tenants.h"

namespace partita::cosmos {
namespace {

// A condition is a query. JSON may spell its name with escapes, of which only this one stands for letters.
bool may_have_condition(std::string_view patch) { return patch.contains("\"condition\"") || patch.contains("\\u"); }

bool is_long_item_request(const Exchange& exchange) {
  const size_t bytes = exchange.request().body.size();
  switch (exchange.operation().action) {
    case Action::kRead:
    case Action::kDelete: return false;
    case Action::kQuery:
    case Action::kPlanQuery: return bytes > kQueryBytesAtOnceMax;
    case Action::kCreate:
    case Action::kUpsert:
    case Action::kReplace: return bytes > kWriteBytesAtOnceMax;
    case Action::kPatch: return bytes > kWriteBytesAtOnceMax || may_have_condition(exchange.request().body);
    // Many documents.
    default: return true;
  }
}

// Its document is looked up before it is known whether the token may do that.
bool is_judged_by_what_is_stored(const Exchange& exchange) {
  const TokenLimits& limits = exchange.limits();
  return (limits.key && exchange.path().is_resource_id_shaped()) ||
         (limits.is_one_resource && exchange.operation().action == Action::kReplace);
}

// Clients begin with this list, and it is as long as the container has partitions.
bool has_many_ranges(const Service& service, const Exchange& exchange) {
  const auto container = service.catalog().container(exchange.path().database(), exchange.path().container());
  return container && (*container)->places.size() > kRangesAtOnceMax;
}

}  // namespace

bool belongs_to_workers(const Service& service, const Exchange& exchange) {
  const Action action = exchange.operation().action;
  switch (exchange.operation().kind) {
    case ResourceKind::kItem:
      return is_long_item_request(exchange) || is_judged_by_what_is_stored(exchange) || service.catalog().is_slow();
    // Their documents are read, and may be large.
    case ResourceKind::kAttachment:
    case ResourceKind::kMedia: return true;
    case ResourceKind::kPartitionKeyRange: return has_many_ranges(service, exchange);
    case ResourceKind::kPartitionKeyDelete: return false;  // goes there by itself
    default: break;
  }
  if (action == Action::kExecute) return exchange.request().body.size() > kWriteBytesAtOnceMax;
  // Tells how much is stored and was used, in all containers that share a throughput.
  if (exchange.operation().kind == ResourceKind::kOffer) return true;
  // Tells how many documents there are.
  if (action == Action::kRead) return exchange.operation().kind == ResourceKind::kContainer && service.catalog().is_slow();
  return true;  // changes of the catalogue wait for the disk, lists and queries over it may be long
}

bool is_long_to_compile(const Exchange& exchange, const Container& container) {
  const size_t bytes = exchange.request().body.size() + container.definition.properties_for_queries().size();
  return bytes > kQueryBytesAtOnceMax && exchange.turn() == nullptr;
}

void leave_to_worker(const Service& service, ExchangePtr exchange) {
  const Tenant tenant = tenant_of(service, *exchange);
  service.answer_by_worker(tenant, std::move(exchange), [&service](ExchangePtr later, Turn&) {
    const Operation::Handler handler = later->operation().handler;
    handler(service, std::move(later));
  });
}

Tenant tenant_of(const Service& service, const Exchange& exchange) {
  const ResourcePath& path = exchange.path();
  if (!path.container().empty()) {
    if (const auto container = service.catalog().container(path.database(), path.container())) {
      return partita::tenant_of(**container);
    }
  }
  if (!path.database().empty()) {
    if (const auto database = service.catalog().database(path.database())) return partita::tenant_of(**database);
  }
  return kAccountTenant;
}

}  // namespace partita::cosmos
