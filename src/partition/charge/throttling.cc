#include "partition/charge/throttling.h"

#include <fmt/format.h>

#include <utility>

namespace partita {

namespace {

// Rounded up: a client that comes back then is admitted.
int64_t milliseconds(int64_t wait_us) { return (wait_us + 999) / 1000; }

}  // namespace

std::unexpected<Error> throttled(int64_t wait_us) {
  const int64_t wait_ms = milliseconds(wait_us);
  return fail(ErrorCode::kThrottled,
              fmt::format("Request rate is large. More Request Units may be needed, so no changes were made. Please retry this "
                          "request later. Learn more: http://aka.ms/cosmosdb-error-429 Retry after ms: {}",
                          wait_ms),
              ErrorDetail::kRetryAfter, wait_ms);
}

std::unexpected<Error> too_many_waiting(std::string message, int64_t wait_us) {
  return fail(ErrorCode::kThrottled, std::move(message), ErrorDetail::kRetryAfter, milliseconds(wait_us));
}

std::optional<int64_t> retry_after_ms(const Error& error) {
  if (error.detail != ErrorDetail::kRetryAfter) return std::nullopt;
  return error.number;
}

}  // namespace partita
