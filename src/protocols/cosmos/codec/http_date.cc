#include "protocols/cosmos/codec/http_date.h"

#include <algorithm>
#include <chrono>
#include <string_view>

namespace partita::cosmos {
namespace {

constexpr std::string_view kWeekdays = "SunMonTueWedThuFriSat";
constexpr std::string_view kMonths = "JanFebMarAprMayJunJulAugSepOctNovDec";
constexpr int64_t kSecondsPerDay = 86400;
constexpr int64_t kYearZero = -62167219200;       // 0000-01-01 00:00:00
constexpr int64_t kEndOfYear9999 = 253402300799;  // 9999-12-31 23:59:59

void write_two_digits(char* at, unsigned value) {
  at[0] = static_cast<char>('0' + value / 10);
  at[1] = static_cast<char>('0' + value % 10);
}

}  // namespace

void append_http_date(std::string& out, int64_t unix_seconds) {
  namespace chrono = std::chrono;
  unix_seconds = std::clamp(unix_seconds, kYearZero, kEndOfYear9999);
  const auto day = chrono::floor<chrono::days>(chrono::sys_seconds(chrono::seconds(unix_seconds)));
  const auto second_of_day = static_cast<unsigned>(unix_seconds - day.time_since_epoch().count() * kSecondsPerDay);
  const chrono::year_month_day date(day);
  const auto year = static_cast<unsigned>(static_cast<int>(date.year()));

  char text[] = "Www, 00 Mmm 0000 00:00:00 GMT";
  kWeekdays.copy(text, 3, chrono::weekday(day).c_encoding() * 3);
  write_two_digits(text + 5, static_cast<unsigned>(date.day()));
  kMonths.copy(text + 8, 3, (static_cast<unsigned>(date.month()) - 1) * 3);
  write_two_digits(text + 12, year / 100);
  write_two_digits(text + 14, year % 100);
  write_two_digits(text + 17, second_of_day / 3600);
  write_two_digits(text + 20, second_of_day / 60 % 60);
  write_two_digits(text + 23, second_of_day % 60);
  out.append(text, sizeof text - 1);
}

}  // namespace partita::cosmos
