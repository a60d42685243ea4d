#include "query/function/date/date_time.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace partita::query {
namespace {

constexpr int64_t kTicksMin = -621355968000000000;                 // 0001-01-01T00:00:00
constexpr int64_t kTicksMax = 253402300800 * kTicksPerSecond - 1;  // the end of year 9999
constexpr int64_t kTicksPerMicrosecond = 10;
constexpr int64_t kNanosecondsPerTick = 100;

constexpr int64_t floor_divide(int64_t value, int64_t by) { return value / by - (value % by < 0 ? 1 : 0); }
constexpr int64_t floor_modulo(int64_t value, int64_t by) { return value - floor_divide(value, by) * by; }

constexpr bool is_leap_year(int64_t year) { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0); }

constexpr int64_t days_in_month(int64_t year, int64_t month) {
  constexpr std::array<int64_t, 12> kDays = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  return month == 2 && is_leap_year(year) ? 29 : kDays[static_cast<size_t>(month - 1)];
}

// Days since the Unix epoch in the proleptic Gregorian calendar; eras of 400 years that begin in March.
constexpr int64_t days_of(int64_t year, int64_t month, int64_t day) {
  int64_t shifted = month <= 2 ? year - 1 : year;
  int64_t era = floor_divide(shifted, 400);
  int64_t year_of_era = shifted - era * 400;
  int64_t day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  int64_t day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
  return era * 146097 + day_of_era - 719468;
}

struct Date {
  int64_t year, month, day;
};

constexpr Date date_of(int64_t days) {
  int64_t shifted = days + 719468;
  int64_t era = floor_divide(shifted, 146097);
  int64_t day_of_era = shifted - era * 146097;
  int64_t year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
  int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  int64_t month_index = (5 * day_of_year + 2) / 153;
  int64_t month = month_index < 10 ? month_index + 3 : month_index - 9;
  return {year_of_era + era * 400 + (month <= 2 ? 1 : 0), month, day_of_year - (153 * month_index + 2) / 5 + 1};
}

constexpr bool is_in_range(const CalendarTime& t) {
  return t.year >= 1 && t.year <= 9999 && t.month >= 1 && t.month <= 12 && t.day >= 1 &&
         t.day <= days_in_month(t.year, t.month) && t.hour >= 0 && t.hour < 24 && t.minute >= 0 && t.minute < 60 &&
         t.second >= 0 && t.second < 60 && t.fraction >= 0 && t.fraction < kTicksPerSecond;
}

// Reads fixed-width fields from the front of a text.
class FieldReader {
 public:
  explicit FieldReader(std::string_view text) : text_(text) {}

  bool digits(size_t count, int64_t& value) {
    if (text_.size() < count) return false;
    value = 0;
    for (char c : text_.substr(0, count)) {
      if (c < '0' || c > '9') return false;
      value = value * 10 + (c - '0');
    }
    text_.remove_prefix(count);
    return true;
  }

  bool literal(char c) {
    if (!text_.starts_with(c)) return false;
    text_.remove_prefix(1);
    return true;
  }

  // One to seven digits behind a dot, or no dot at all.
  bool fraction(int64_t& ticks) {
    if (!literal('.')) return true;
    size_t count = std::min(text_.find_first_not_of("0123456789"), text_.size());
    if (count < 1 || count > 7 || !digits(count, ticks)) return false;
    for (size_t i = count; i < 7; ++i) ticks *= 10;
    return true;
  }

  bool is_at_end() const { return text_.empty(); }

 private:
  std::string_view text_;
};

}  // namespace

std::optional<DatePart> date_part_of(std::string_view name) {
  static constexpr auto kNames = std::to_array<std::pair<std::string_view, DatePart>>({
      {"year", DatePart::kYear},       {"yyyy", DatePart::kYear},
      {"yy", DatePart::kYear},         {"month", DatePart::kMonth},
      {"mm", DatePart::kMonth},        {"m", DatePart::kMonth},
      {"day", DatePart::kDay},         {"dd", DatePart::kDay},
      {"d", DatePart::kDay},           {"hour", DatePart::kHour},
      {"hh", DatePart::kHour},         {"minute", DatePart::kMinute},
      {"mi", DatePart::kMinute},       {"n", DatePart::kMinute},
      {"second", DatePart::kSecond},   {"ss", DatePart::kSecond},
      {"s", DatePart::kSecond},        {"millisecond", DatePart::kMillisecond},
      {"ms", DatePart::kMillisecond},  {"microsecond", DatePart::kMicrosecond},
      {"mcs", DatePart::kMicrosecond}, {"nanosecond", DatePart::kNanosecond},
      {"ns", DatePart::kNanosecond},   {"weekday", DatePart::kWeekday},
      {"dw", DatePart::kWeekday},      {"w", DatePart::kWeekday},
  });
  auto to_lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  for (const auto& [text, part] : kNames) {
    if (std::ranges::equal(name, text, {}, to_lower)) return part;
  }
  return std::nullopt;
}

std::optional<int64_t> ticks_per(DatePart part) {
  switch (part) {
    case DatePart::kDay: return kTicksPerDay;
    case DatePart::kHour: return kTicksPerHour;
    case DatePart::kMinute: return kTicksPerMinute;
    case DatePart::kSecond: return kTicksPerSecond;
    case DatePart::kMillisecond: return kTicksPerMillisecond;
    case DatePart::kMicrosecond: return kTicksPerMicrosecond;
    default: return std::nullopt;
  }
}

std::optional<DateTime> DateTime::from_ticks(int64_t unix_ticks) {
  if (unix_ticks < kTicksMin || unix_ticks > kTicksMax) return std::nullopt;
  return DateTime(unix_ticks);
}

std::optional<DateTime> DateTime::from_calendar(const CalendarTime& parts) {
  if (!is_in_range(parts)) return std::nullopt;
  return DateTime(days_of(parts.year, parts.month, parts.day) * kTicksPerDay + parts.hour * kTicksPerHour +
                  parts.minute * kTicksPerMinute + parts.second * kTicksPerSecond + parts.fraction);
}

std::optional<DateTime> DateTime::parse(std::string_view text) {
  FieldReader in(text);
  CalendarTime t;
  bool is_date = in.digits(4, t.year) && in.literal('-') && in.digits(2, t.month) && in.literal('-') && in.digits(2, t.day);
  if (!is_date) return std::nullopt;
  if (in.literal('T') || in.literal(' ')) {
    bool is_time = in.digits(2, t.hour) && in.literal(':') && in.digits(2, t.minute) && in.literal(':') &&
                   in.digits(2, t.second) && in.fraction(t.fraction);
    if (!is_time) return std::nullopt;
  }
  in.literal('Z');
  return in.is_at_end() ? from_calendar(t) : std::nullopt;
}

CalendarTime DateTime::calendar() const {
  Date date = date_of(floor_divide(ticks_, kTicksPerDay));
  int64_t rest = floor_modulo(ticks_, kTicksPerDay);
  return {.year = date.year,
          .month = date.month,
          .day = date.day,
          .hour = rest / kTicksPerHour,
          .minute = rest / kTicksPerMinute % 60,
          .second = rest / kTicksPerSecond % 60,
          .fraction = rest % kTicksPerSecond};
}

int64_t DateTime::months() const {
  CalendarTime t = calendar();
  return t.year * 12 + t.month - 1;
}

int DateTime::weekday() const { return static_cast<int>(floor_modulo(floor_divide(ticks_, kTicksPerDay) + 4, 7)); }

int64_t DateTime::part(DatePart part) const {
  CalendarTime t = calendar();
  switch (part) {
    case DatePart::kYear: return t.year;
    case DatePart::kMonth: return t.month;
    case DatePart::kDay: return t.day;
    case DatePart::kHour: return t.hour;
    case DatePart::kMinute: return t.minute;
    case DatePart::kSecond: return t.second;
    case DatePart::kMillisecond: return t.fraction / kTicksPerMillisecond;
    case DatePart::kMicrosecond: return t.fraction / kTicksPerMicrosecond;
    case DatePart::kNanosecond: return t.fraction * kNanosecondsPerTick;
    case DatePart::kWeekday: return weekday() + 1;
  }
  return 0;
}

// The day stays, or becomes the last one of a shorter month.
std::optional<DateTime> DateTime::plus_months(int64_t amount) const {
  if (amount < -120000 || amount > 120000) return std::nullopt;
  int64_t target = months() + amount;
  CalendarTime t = calendar();
  t.year = floor_divide(target, 12);
  t.month = floor_modulo(target, 12) + 1;
  if (t.year < 1 || t.year > 9999) return std::nullopt;
  t.day = std::min(t.day, days_in_month(t.year, t.month));
  return from_calendar(t);
}

std::optional<DateTime> DateTime::plus(DatePart part, int64_t amount) const {
  switch (part) {
    case DatePart::kYear: return amount < -10000 || amount > 10000 ? std::nullopt : plus_months(amount * 12);
    case DatePart::kMonth: return plus_months(amount);
    case DatePart::kWeekday: return std::nullopt;
    case DatePart::kNanosecond: return from_ticks(ticks_ + amount / kNanosecondsPerTick);
    default: break;
  }
  int64_t ticks = 0;
  bool overflows = __builtin_mul_overflow(amount, *ticks_per(part), &ticks) || __builtin_add_overflow(ticks, ticks_, &ticks);
  return overflows ? std::nullopt : from_ticks(ticks);
}

std::optional<int64_t> DateTime::boundaries_to(const DateTime& other, DatePart part) const {
  switch (part) {
    case DatePart::kYear: return other.calendar().year - calendar().year;
    case DatePart::kMonth: return other.months() - months();
    case DatePart::kWeekday: return std::nullopt;
    case DatePart::kNanosecond: {
      int64_t nanoseconds = 0;
      bool overflows = __builtin_mul_overflow(other.ticks_ - ticks_, kNanosecondsPerTick, &nanoseconds);
      return overflows ? std::nullopt : std::optional(nanoseconds);
    }
    default: {
      int64_t unit = *ticks_per(part);
      return floor_divide(other.ticks_, unit) - floor_divide(ticks_, unit);
    }
  }
}

std::optional<DateTime> DateTime::bin(DatePart part, int64_t size, const DateTime& origin) const {
  if (size <= 0 || part == DatePart::kWeekday) return std::nullopt;
  if (part == DatePart::kYear || part == DatePart::kMonth) {
    int64_t unit = part == DatePart::kYear ? 12 : 1;
    if (size > 120000) return origin.ticks_ <= ticks_ ? std::optional(origin) : std::nullopt;
    int64_t step = size * unit;
    int64_t offset = floor_divide(months() - origin.months(), step) * step;
    auto start = origin.plus_months(offset);
    if (start && start->ticks_ > ticks_) start = origin.plus_months(offset - step);
    return start;
  }
  int64_t step = 0;
  if (part == DatePart::kNanosecond) {
    step = std::max(size / kNanosecondsPerTick, int64_t{1});
  } else if (__builtin_mul_overflow(size, *ticks_per(part), &step)) {
    return origin.ticks_ <= ticks_ ? std::optional(origin) : std::nullopt;
  }
  return from_ticks(origin.ticks_ + floor_divide(ticks_ - origin.ticks_, step) * step);
}

std::string DateTime::text() const {
  CalendarTime t = calendar();
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:07}Z", t.year, t.month, t.day, t.hour, t.minute, t.second,
                     t.fraction);
}

}  // namespace partita::query
