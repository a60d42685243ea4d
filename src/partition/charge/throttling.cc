#include "partition/charge/throttling.h"

#include <string_view>
#include <utility>

namespace partita {
namespace {

constexpr std::string_view kOverBudget =
    "Request rate is large. More Request Units may be needed, so no changes were made. Please retry this request later.";

// Rounded up: a client that comes back then is admitted.
int64_t milliseconds(int64_t wait_us) { return (wait_us + 999) / 1000; }

}  // namespace

std::unexpected<Error> throttled(int64_t wait_us) {
  return fail(ErrorCode::kThrottled, std::string(kOverBudget), ErrorDetail::kRetryAfter, milliseconds(wait_us));
}

bool is_over_budget(const Error& error) { return error.code == ErrorCode::kThrottled && error.message == kOverBudget; }

std::unexpected<Error> too_many_waiting(std::string message, int64_t wait_us) {
  return fail(ErrorCode::kThrottled, std::move(message), ErrorDetail::kRetryAfter, milliseconds(wait_us));
}

std::optional<int64_t> retry_after_ms(const Error& error) {
  if (error.detail != ErrorDetail::kRetryAfter) return std::nullopt;
  return error.number;
}

}  // namespace partita
