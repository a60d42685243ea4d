#include "partition/charge/throttling.h"

#include <utility>

namespace partita {
namespace {

// Rounded up: a client that comes back then is admitted.
int64_t milliseconds(int64_t wait_us) { return (wait_us + 999) / 1000; }

}  // namespace

std::unexpected<Error> throttled(int64_t wait_us) {
  return fail(ErrorCode::kThrottled, "The request units are used up. Nothing was changed; please retry later.",
              ErrorDetail::kOverBudget, milliseconds(wait_us));
}

std::unexpected<Error> too_many_waiting(std::string message, int64_t wait_us) {
  return fail(ErrorCode::kThrottled, std::move(message), ErrorDetail::kRetryAfter, milliseconds(wait_us));
}

std::optional<int64_t> retry_after_ms(const Error& error) {
  const bool is_known = error.detail == ErrorDetail::kRetryAfter || error.detail == ErrorDetail::kOverBudget;
  return is_known ? std::optional(error.number) : std::nullopt;
}

}  // namespace partita
