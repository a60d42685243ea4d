#include "document/json/definition_json.h"
#include "partition/charge/request_units.h"
#include "protocols/cosmos/codec/resource_id.h"
#include "protocols/cosmos/codec/throughput.h"
#include "protocols/cosmos/handlers/containers/offer_answer.h"
#include "protocols/cosmos/handlers/handlers.h"

#include <fmt/format.h>

namespace partita::cosmos {
namespace {

Result<std::shared_ptr<const Offer>> replace(const Service& service, const Exchange& exchange) {
  TRY_ASSIGN(const std::string body, definition_from_json(exchange.request().body));
  TRY_ASSIGN(const std::shared_ptr<const Offer> current, find_offer(service, exchange.path().name()));
  const std::string rid = rid_text(OfferRid{current->number});
  for (std::string_view name : {"id", "_rid"}) {
    const Value given = Value::view(body).find(name);
    if (!given.is_string() || given.string() != rid) {
      return fail(ErrorCode::kInvalidInput, fmt::format("The '{}' in the body must be that of the offer, {}.", name, rid));
    }
  }
  TRY_ASSIGN(const Throughput asked, throughput_from_offer(Value::view(body), *current, exchange.request()));
  // What it is changed to decides which floor counts.
  Offer changed = *current;
  changed.throughput = asked;
  const int64_t least = throughput_floor(changed, use_of(service.catalog(), *current));
  if (asked.planned() < least) {
    return fail(ErrorCode::kInvalidInput,
                fmt::format("The offer should have valid throughput values: the least for this resource is {}, {} was asked for.",
                            least, asked.planned()));
  }
  return service.catalog().offers().replace(current->number, asked, exchange.header(header::kIfMatch));
}

}  // namespace

void replace_offer(const Service& service, ExchangePtr exchange) {
  exchange->set_charge(kMetadataWriteCharge);
  answer_offer(service, *exchange, replace(service, *exchange));
}

}  // namespace partita::cosmos
