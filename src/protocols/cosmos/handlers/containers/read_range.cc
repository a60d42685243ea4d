#include "document/json/json.h"
#include "partition/charge/request_units.h"
#include "protocols/cosmos/codec/resource_json.h"
#include "protocols/cosmos/handlers/handlers.h"

#include <fmt/format.h>

namespace partita::cosmos {

void read_range(const Service& service, ExchangePtr exchange) {
  const Result<std::shared_ptr<const Container>> container = service.container(*exchange);
  if (!container) return exchange->answer_error(container.error());
  const PartitionPlace* place = (*container)->find_place(exchange->path().name());
  if (place == nullptr) {
    return exchange->answer_error(
        {ErrorCode::kNotFound, fmt::format("The container has no partition key range '{}'.", exchange->path().name())});
  }
  StoredWriter out;
  write_range(out, **container, *place);
  exchange->set_charge(kMetadataReadCharge);
  exchange->set_owner(**container);
  exchange->answer_json(200, out.view());
}

}  // namespace partita::cosmos
