#include "document/json/definition_json.h"
#include "partition/charge/request_units.h"
#include "protocols/cosmos/handlers/children/child_answer.h"
#include "protocols/cosmos/handlers/handlers.h"

namespace partita::cosmos {
namespace {

Result<ChildWritten> create(const Service& service, const Exchange& exchange) {
  TRY_ASSIGN(const ChildPlace place, child_place(service, exchange));
  TRY_ASSIGN(const std::string body, definition_from_json(exchange.request().body));
  TRY_ASSIGN(ChildDefinition definition, parse_child(service, exchange, Value::view(body), place.type));
  return service.catalog().children().write(place, std::move(definition), exchange.operation().action == Action::kUpsert);
}

}  // namespace

// Create or, when the request says so, upsert.
void create_child(const Service& service, ExchangePtr exchange) {
  exchange->set_charge(kMetadataWriteCharge);
  const Result<ChildWritten> written = create(service, *exchange);
  if (!written) return exchange->answer_error(written.error());
  answer_child(service, *exchange, written->child, written->was_created ? 201 : 200);
}

}  // namespace partita::cosmos
