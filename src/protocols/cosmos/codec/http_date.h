#pragma once

#include <cstdint>
#include <string>

namespace partita::cosmos {

// Appends "Tue, 21 Jul 2020 17:55:31 GMT" (RFC 1123). Years outside 0..9999 are clamped to that range.
void append_http_date(std::string& out, int64_t unix_seconds);

}  // namespace partita::cosmos
