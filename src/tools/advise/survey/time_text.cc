#include "tools/advise/survey/time_text.h"

#include <array>
#include <chrono>

namespace partita::tools::advise {
namespace {

constexpr int64_t kMinute = 60;
constexpr int64_t kHour = 60 * kMinute;
constexpr int64_t kDay = 24 * kHour;
constexpr int64_t kMonth = 30 * kDay;
constexpr int kYearMin = 1970;
constexpr int kYearMax = 2199;
// 1990 and 2100: numbers outside are more likely to be something else.
constexpr double kSecondsMin = 631'152'000;
constexpr double kSecondsMax = 4'102'444'800;

// A number of exactly so many digits, taken from the text.
std::optional<int> take_digits(std::string_view& text, size_t digits) {
  if (text.size() < digits) return std::nullopt;
  int number = 0;
  for (const char digit : text.substr(0, digits)) {
    if (digit < '0' || digit > '9') return std::nullopt;
    number = number * 10 + (digit - '0');
  }
  text.remove_prefix(digits);
  return number;
}

bool take(std::string_view& text, std::string_view any_of) {
  if (text.empty() || any_of.find(text.front()) == std::string_view::npos) return false;
  text.remove_prefix(1);
  return true;
}

std::optional<Moment> at_day(int year, int month, int day, int64_t resolution) {
  const std::chrono::year_month_day date(std::chrono::year(year), std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day)));
  if (!date.ok()) return std::nullopt;
  return Moment{std::chrono::sys_days(date).time_since_epoch().count() * kDay, resolution};
}

// What may stand behind seconds: a fraction and a zone.
bool is_tail(std::string_view text) { return text.find_first_not_of("0123456789.,:+-Z ") == std::string_view::npos; }

std::optional<Moment> with_time(Moment moment, std::string_view text) {
  const auto hour = take_digits(text, 2);
  if (!hour || *hour > 24) return std::nullopt;
  moment.seconds += *hour * kHour;
  moment.resolution = kHour;
  if (!take(text, ":")) return is_tail(text) ? std::optional(moment) : std::nullopt;
  const auto minute = take_digits(text, 2);
  if (!minute || *minute > 59) return std::nullopt;
  moment.seconds += *minute * kMinute;
  moment.resolution = kMinute;
  if (!take(text, ":")) return is_tail(text) ? std::optional(moment) : std::nullopt;
  const auto second = take_digits(text, 2);
  if (!second || *second > 60 || !is_tail(text)) return std::nullopt;
  moment.seconds += *second;
  moment.resolution = 1;
  return moment;
}

}  // namespace

std::optional<Moment> moment_in(std::string_view text) {
  const auto year = take_digits(text, 4);
  if (!year || *year < kYearMin || *year > kYearMax) return std::nullopt;
  if (text.empty()) return at_day(*year, 1, 1, 365 * kDay);
  if (!take(text, "-/")) return std::nullopt;
  const auto month = take_digits(text, 2);
  if (!month) return std::nullopt;
  if (text.empty()) return at_day(*year, *month, 1, kMonth);
  if (!take(text, "-/")) return std::nullopt;
  const auto day = take_digits(text, 2);
  if (!day) return std::nullopt;
  const std::optional<Moment> date = at_day(*year, *month, *day, kDay);
  if (!date || text.empty()) return date;
  return take(text, "T ") ? with_time(*date, text) : std::nullopt;
}

std::optional<Moment> moment_of(const Value& value) {
  if (value.is_string()) return moment_in(value.string());
  if (!value.is_number()) return std::nullopt;
  for (const double unit : std::array{1.0, 1e3, 1e6}) {
    const double seconds = value.number() / unit;
    if (seconds >= kSecondsMin && seconds <= kSecondsMax) return Moment{static_cast<int64_t>(seconds), 1};
  }
  return std::nullopt;
}

}  // namespace partita::tools::advise
