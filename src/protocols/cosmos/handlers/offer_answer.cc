#include "protocols/cosmos/handlers/offer_answer.h"

#include "protocols/cosmos/codec/throughput.h"

namespace partita::cosmos {

void answer_offer(Exchange& exchange, const Result<std::shared_ptr<const Offer>>& offer) {
  if (!offer) return exchange.answer_error(offer.error());
  StoredWriter out;
  write_offer(out, **offer);
  exchange.set_etag((*offer)->revision.etag);
  exchange.response().header(header::kMinThroughput, std::to_string(throughput_floor(**offer)));
  exchange.response().header(header::kReplacePending, "false");
  exchange.answer_json(200, out.view());
}

}  // namespace partita::cosmos
