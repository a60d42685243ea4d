#include "protocols/cosmos/handlers/containers/offer_answer.h"

#include "protocols/cosmos/codec/resource_id.h"
#include "protocols/cosmos/codec/throughput.h"

#include <fmt/format.h>

namespace partita::cosmos {

Result<std::shared_ptr<const Offer>> find_offer(const Service& service, std::string_view name) {
  const auto rid = parse_resource_id_as<OfferRid>(name);
  std::shared_ptr<const Offer> offer = rid ? service.catalog().offers().find(rid->offer) : nullptr;
  if (!offer) return fail(ErrorCode::kNotFound, fmt::format("The offer '{}' does not exist.", name));
  return offer;
}

void answer_offer(const Service& service, Exchange& exchange, const Result<std::shared_ptr<const Offer>>& offer) {
  if (!offer) return exchange.answer_error(offer.error());
  const OfferUse use = use_of(service.catalog(), **offer);
  StoredWriter out;
  write_offer(out, **offer, use);
  exchange.set_etag((*offer)->revision.etag);
  exchange.response().header(header::kMinThroughput, std::to_string(throughput_floor(**offer, use)));
  exchange.response().header(header::kReplacePending, use.is_pending ? "true" : "false");
  exchange.answer_json(200, out.view());
}

}  // namespace partita::cosmos
