#include "partition/throttling.h"

#include <fmt/format.h>

namespace partita {

std::unexpected<Error> throttled(int64_t wait_us) {
  const int64_t wait_ms = (wait_us + 999) / 1000;  // rounded up: a client that comes back then is admitted
  return fail(ErrorCode::kThrottled,
              fmt::format("Request rate is large. More Request Units may be needed, so no changes were made. Please retry this "
                          "request later. Learn more: http://aka.ms/cosmosdb-error-429 Retry after ms: {}",
                          wait_ms),
              ErrorDetail::kRetryAfter, wait_ms);
}

std::optional<int64_t> retry_after_ms(const Error& error) {
  if (error.detail != ErrorDetail::kRetryAfter) return std::nullopt;
  return error.number;
}

}  // namespace partita
