#include "protocols/cosmos/handlers/handlers.h"

#include <fmt/format.h>

namespace partita::cosmos {

// There are none: see list_conflicts.
void find_conflict(const Service& service, ExchangePtr exchange) {
  const Result<std::shared_ptr<const Container>> container = service.container(*exchange);
  if (!container) return exchange->answer_error(container.error());
  exchange->answer_error(Error{ErrorCode::kNotFound, fmt::format("There is no conflict '{}'.", exchange->path().name())});
}

}  // namespace partita::cosmos
