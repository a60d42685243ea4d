#pragma once

#include "base/result.h"

#include <cstdint>
#include <optional>
#include <string_view>

// How a client asks to wait for changes instead of hearing at once that there are none.
namespace partita::cosmos {

// Milliseconds, as the service's SDKs send them (x-ms-cosmos-max-polling-interval): a decimal number that may have a fraction.
// kInvalidInput when it is none, or negative.
Result<int64_t> parse_polling_interval(std::string_view text);

// The milliseconds of a "wait=SECONDS" among the preferences of a Prefer header (RFC 7240). Nothing when there is none that can
// be read: preferences that are not understood are ignored.
std::optional<int64_t> parse_wait_preference(std::string_view preferences);

}  // namespace partita::cosmos
