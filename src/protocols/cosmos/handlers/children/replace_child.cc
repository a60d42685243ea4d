#include "document/json/definition_json.h"
#include "partition/charge/request_units.h"
#include "protocols/cosmos/handlers/children/child_answer.h"
#include "protocols/cosmos/handlers/handlers.h"

namespace partita::cosmos {
namespace {

Result<ChildPtr> replace(const Service& service, const Exchange& exchange) {
  TRY_ASSIGN(const ChildPlace place, child_place(service, exchange));
  TRY_ASSIGN(const std::string body, definition_from_json(exchange.request().body));
  TRY_ASSIGN(ChildDefinition definition, parse_child(service, exchange, Value::view(body), place.type));
  return service.catalog().children().replace(place, child_name(exchange), std::move(definition),
                                              exchange.header(header::kIfMatch));
}

}  // namespace

void replace_child(const Service& service, ExchangePtr exchange) {
  exchange->set_charge(kMetadataWriteCharge);
  answer_child(service, *exchange, replace(service, *exchange), 200);
}

}  // namespace partita::cosmos
