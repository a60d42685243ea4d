#pragma once

#include "query/function/date/date_time.h"

#include <string>
#include <string_view>

namespace partita::query {

// Writes a moment by a pattern of runs of letters: y M d H h m s f F t, doubled for leading zeros (yyyy-MM-ddTHH:mm:ss.fff).
// MMM, MMMM, ddd and dddd are English names; F leaves trailing zeros out; a backslash takes the next character as it is, and
// so are all characters that mean nothing here.
std::string format_date(const DateTime& moment, std::string_view pattern);

}  // namespace partita::query
