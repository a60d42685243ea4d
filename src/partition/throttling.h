#pragma once

#include "base/result.h"

#include <cstdint>
#include <optional>

namespace partita {

// The error of a request that its partition's budget has no room for: kThrottled, with when trying again will help.
std::unexpected<Error> throttled(int64_t wait_us);

// From an error that throttled() made; nothing for any other.
std::optional<int64_t> retry_after_ms(const Error& error);

}  // namespace partita
