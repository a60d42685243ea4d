#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace partita::query {

inline constexpr int64_t kTicksPerMillisecond = 10'000;
inline constexpr int64_t kTicksPerSecond = 1000 * kTicksPerMillisecond;
inline constexpr int64_t kTicksPerMinute = 60 * kTicksPerSecond;
inline constexpr int64_t kTicksPerHour = 60 * kTicksPerMinute;
inline constexpr int64_t kTicksPerDay = 24 * kTicksPerHour;

enum class DatePart : uint8_t { kYear, kMonth, kDay, kHour, kMinute, kSecond, kMillisecond, kMicrosecond, kNanosecond, kWeekday };

// yyyy, mm, dd and the other names of a part; case does not matter.
std::optional<DatePart> date_part_of(std::string_view name);

struct CalendarTime {
  int64_t year = 1970;
  int64_t month = 1;
  int64_t day = 1;
  int64_t hour = 0;
  int64_t minute = 0;
  int64_t second = 0;
  int64_t fraction = 0;  // ticks within the second
};

// DateTime: a moment in UTC with a precision of 100 ns, from year 1 to year 9999.
class DateTime {
 public:
  static std::optional<DateTime> from_ticks(int64_t unix_ticks);
  // Nothing when a part is out of its range.
  static std::optional<DateTime> from_calendar(const CalendarTime& parts);
  // YYYY-MM-DD, optionally with hh:mm:ss behind a T or a space, a fraction of one to seven digits, and Z at the end.
  static std::optional<DateTime> parse(std::string_view text);

  int64_t ticks() const { return ticks_; }  // since the Unix epoch; may be negative
  CalendarTime calendar() const;
  // Months since year 0.
  int64_t months() const;
  int64_t part(DatePart part) const;
  // 0 is Sunday.
  int weekday() const;

  std::optional<DateTime> plus(DatePart part, int64_t amount) const;
  // How many boundaries of the part lie between: negative when the other one is earlier.
  std::optional<int64_t> boundaries_to(const DateTime& other, DatePart part) const;
  // The start of this moment's bin, when bins of `size` parts follow each other from the origin.
  std::optional<DateTime> bin(DatePart part, int64_t size, const DateTime& origin) const;

  // YYYY-MM-DDThh:mm:ss.fffffffZ
  std::string text() const;

 private:
  explicit DateTime(int64_t ticks) : ticks_(ticks) {}

  std::optional<DateTime> plus_months(int64_t amount) const;

  int64_t ticks_;
};

// Ticks of one unit of a part that always takes the same time. Microseconds and nanoseconds have no whole unit here: 10 and
// 1/100.
std::optional<int64_t> ticks_per(DatePart part);

}  // namespace partita::query
