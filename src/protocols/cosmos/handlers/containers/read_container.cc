#include "partition/charge/request_units.h"
#include "protocols/cosmos/handlers/containers/container_answer.h"
#include "protocols/cosmos/handlers/handlers.h"

namespace partita::cosmos {

void read_container(const Service& service, ExchangePtr exchange) {
  exchange->set_charge(kMetadataReadCharge);
  const Result<std::shared_ptr<const Container>> container = service.container(*exchange);
  if (container && exchange->header(header::kIfNoneMatch) == (*container)->revision.etag) return exchange->answer(304);
  answer_container(*exchange, container, 200);
}

}  // namespace partita::cosmos
