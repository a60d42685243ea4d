#include "partition/charge/request_units.h"
#include "protocols/cosmos/dispatch.h"
#include "protocols/cosmos/handlers/containers/container_answer.h"
#include "protocols/cosmos/handlers/handlers.h"

namespace partita::cosmos {
namespace {

size_t definition_bytes(const Container& container) {
  return container.definition.properties.size() + container.definition.indexing->definition().bytes().size();
}

}  // namespace

void read_container(const Service& service, ExchangePtr exchange) {
  const Result<std::shared_ptr<const Container>> container = service.container(*exchange);
  if (container && is_long_to_write(*exchange, definition_bytes(**container))) {
    return leave_to_worker(service, std::move(exchange));
  }
  exchange->set_charge(kMetadataReadCharge);
  if (container && exchange->header(header::kIfNoneMatch) == (*container)->revision.etag) return exchange->answer(304);
  answer_container(*exchange, container, 200);
}

}  // namespace partita::cosmos
