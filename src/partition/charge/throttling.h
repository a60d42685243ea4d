#pragma once

#include "base/result.h"

#include <cstdint>
#include <optional>
#include <string>

namespace partita {

// The error of a request that its partition's budget has no room for: kThrottled, ErrorDetail::kOverBudget, with when trying
// again will help.
std::unexpected<Error> throttled(int64_t wait_us);

// The error of a request that finds too many waiting before it: kThrottled too, for other reasons than request units.
std::unexpected<Error> too_many_waiting(std::string message, int64_t wait_us);

// From an error that one of these made; nothing for any other.
std::optional<int64_t> retry_after_ms(const Error& error);

}  // namespace partita
