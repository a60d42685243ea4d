#pragma once

#include "base/result.h"

#include <cstdint>
#include <optional>
#include <string>

namespace partita {

// The error of a request that its partition's budget has no room for: kThrottled, with when trying again will help.
std::unexpected<Error> throttled(int64_t wait_us);
// Whether it is that error, and not of one who finds too many waiting.
bool is_over_budget(const Error& error);

// The error of a request that finds too many waiting before it: kThrottled too, for other reasons than request units.
std::unexpected<Error> too_many_waiting(std::string message, int64_t wait_us);

// From an error that one of these made; nothing for any other.
std::optional<int64_t> retry_after_ms(const Error& error);

}  // namespace partita
