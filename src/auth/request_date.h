#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.h"

namespace partita::auth {

// "Tue, 21 Jul 2020 17:55:31 GMT" (RFC 1123, in any case; Go's clients write UTC for GMT) to seconds since the Unix epoch.
//
// Strict: exactly this shape, a date that exists, and the weekday that belongs to it; everything else is kInvalidInput.
Result<int64_t> parse_rfc1123(std::string_view text);

// How far a request's date may be from this server's clock, before and after.
inline constexpr int64_t kClockSkewMaxSeconds = 15 * 60;

// Whether a signed request is of now: without a date or with one that cannot be read kUnauthorized, with one of another time
// kAuthorizationExpired.
Status check_request_date(std::string_view text, int64_t now_unix_seconds);

}  // namespace partita::auth
