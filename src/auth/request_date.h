#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.h"

namespace partita::auth {

// "Tue, 21 Jul 2020 17:55:31 GMT" (RFC 1123, in any case; Go's clients write UTC for GMT) to seconds since the Unix epoch.
//
// Strict: exactly this shape, a date that exists, and the weekday that belongs to it; everything else is kInvalidInput.
Result<int64_t> parse_rfc1123(std::string_view text);

}  // namespace partita::auth
