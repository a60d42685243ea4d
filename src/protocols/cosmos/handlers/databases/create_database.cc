#include "document/json/definition_json.h"
#include "partition/charge/request_units.h"
#include "protocols/cosmos/codec/resource_json.h"
#include "protocols/cosmos/codec/throughput.h"
#include "protocols/cosmos/handlers/databases/database_answer.h"
#include "protocols/cosmos/handlers/handlers.h"

namespace partita::cosmos {
namespace {

Result<std::shared_ptr<const Database>> create(const Service& service, const Exchange& exchange) {
  TRY_ASSIGN(const std::string body, definition_from_json(exchange.request().body));
  const Value id = Value::view(body).find("id");
  if (!id.is_string()) {
    return fail(ErrorCode::kInvalidInput, "The input content is invalid because the required properties - 'id; ' - are missing");
  }
  TRY_ASSIGN(const std::optional<Throughput> throughput, throughput_from_headers(exchange.request()));
  return service.catalog().create_database(id.string(), throughput);
}

}  // namespace

void create_database(const Service& service, ExchangePtr exchange) {
  exchange->set_charge(kMetadataWriteCharge);
  answer_database(*exchange, create(service, *exchange), 201);
}

}  // namespace partita::cosmos
