#include "query/function/date/date_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace partita::query {
namespace {

constexpr std::array<std::string_view, 12> kMonths = {"January", "February", "March",     "April",   "May",      "June",
                                                      "July",    "August",   "September", "October", "November", "December"};
constexpr std::array<std::string_view, 7> kDays = {"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"};
constexpr size_t kFractionDigits = 7;

std::string padded(int64_t value, size_t width) { return fmt::format("{:0{}}", value, width); }

std::string name_of(std::string_view name, size_t run) { return std::string(run == 3 ? name.substr(0, 3) : name); }

std::string fraction_of(int64_t ticks, size_t run, bool drops_zeros) {
  std::string digits = padded(ticks, kFractionDigits).substr(0, std::min(run, kFractionDigits));
  if (drops_zeros) digits.erase(digits.find_last_not_of('0') + 1);
  return digits;
}

std::string field(const DateTime& moment, char letter, size_t run) {
  CalendarTime t = moment.calendar();
  size_t width = std::min(run, size_t{2});
  switch (letter) {
    case 'y': return run <= 2 ? padded(t.year % 100, width) : padded(t.year, run);
    case 'M': return run <= 2 ? padded(t.month, width) : name_of(kMonths[static_cast<size_t>(t.month - 1)], run);
    case 'd': return run <= 2 ? padded(t.day, width) : name_of(kDays[static_cast<size_t>(moment.weekday())], run);
    case 'H': return padded(t.hour, width);
    case 'h': return padded(t.hour % 12 == 0 ? 12 : t.hour % 12, width);
    case 'm': return padded(t.minute, width);
    case 's': return padded(t.second, width);
    case 'f': return fraction_of(t.fraction, run, false);
    case 'F': return fraction_of(t.fraction, run, true);
    case 't': return std::string(t.hour < 12 ? "AM" : "PM").substr(0, width);
    default: return std::string(run, letter);
  }
}

}  // namespace

std::string format_date(const DateTime& moment, std::string_view pattern) {
  constexpr size_t kRunMax = 32;
  std::string out;
  for (size_t i = 0; i < pattern.size();) {
    if (pattern[i] == '\\' && i + 1 < pattern.size()) {
      out += pattern[i + 1];
      i += 2;
      continue;
    }
    size_t run = std::min(pattern.find_first_not_of(pattern[i], i), pattern.size()) - i;
    run = std::min(run, kRunMax);
    out += field(moment, pattern[i], run);
    i += run;
  }
  return out;
}

}  // namespace partita::query
