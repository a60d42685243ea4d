#pragma once

#include "document/value.h"

#include <cstdint>
#include <optional>
#include <string_view>

namespace partita::tools::advise {

// What a value says about a moment.
struct Moment {
  int64_t seconds = 0;     // since 1970, without regard to time zones
  int64_t resolution = 1;  // of the value, in seconds: a day for "2018-08-09"
};

// Of "2018", "2018-08", "2018-08-09" and "2018/08/09", with "T12:34:56.789Z", " 12:34" or nothing behind them. Years from 1970 to
// 2199.
std::optional<Moment> moment_in(std::string_view text);

// The same of a string; of a number, seconds, milliseconds or microseconds since 1970 between 1990 and 2100.
std::optional<Moment> moment_of(const Value& value);

}  // namespace partita::tools::advise
