#include "auth/request_date.h"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <optional>
#include <string>

namespace partita::auth {
namespace {

constexpr std::string_view kShape = "aaa, 00 aaa 0000 00:00:00 aaa";
constexpr std::string_view kWeekdays = "sunmontuewedthufrisat";
constexpr std::string_view kZones = "gmtutc";
constexpr std::string_view kMonths = "janfebmaraprmayjunjulaugsepoctnovdec";

constexpr char to_lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_letter(char c) { return c >= 'a' && c <= 'z'; }

// Lower-cased, when every character is of the kind that kShape asks for at its place.
std::optional<std::array<char, kShape.size()>> match_shape(std::string_view text) {
  std::array<char, kShape.size()> lowered;
  if (text.size() != kShape.size()) return std::nullopt;
  for (size_t i = 0; i < kShape.size(); ++i) {
    const char c = to_lower(text[i]);
    const bool fits = kShape[i] == '0' ? is_digit(c) : kShape[i] == 'a' ? is_letter(c) : c == kShape[i];
    if (!fits) return std::nullopt;
    lowered[i] = c;
  }
  return lowered;
}

unsigned number_at(std::string_view text, size_t at, size_t digits) {
  unsigned value = 0;
  for (char c : text.substr(at, digits)) value = value * 10 + static_cast<unsigned>(c - '0');
  return value;
}

// The position of a three-letter name in a list of such names.
std::optional<unsigned> index_in(std::string_view names, std::string_view name) {
  for (size_t i = 0; i < names.size(); i += 3) {
    if (names.substr(i, 3) == name) return static_cast<unsigned>(i / 3);
  }
  return std::nullopt;
}

std::optional<int64_t> parse_lowered(std::string_view text) {
  namespace chrono = std::chrono;
  const auto weekday = index_in(kWeekdays, text.substr(0, 3));
  const auto month = index_in(kMonths, text.substr(8, 3));
  if (!weekday || !month || !index_in(kZones, text.substr(26))) return std::nullopt;
  const chrono::year_month_day date{chrono::year(static_cast<int>(number_at(text, 12, 4))), chrono::month(*month + 1),
                                    chrono::day(number_at(text, 5, 2))};
  if (!date.ok() || chrono::weekday(chrono::sys_days(date)).c_encoding() != *weekday) return std::nullopt;
  const unsigned hour = number_at(text, 17, 2);
  const unsigned minute = number_at(text, 20, 2);
  const unsigned second = number_at(text, 23, 2);
  if (hour > 23 || minute > 59 || second > 59) return std::nullopt;
  const int64_t days = chrono::sys_days(date).time_since_epoch().count();
  return days * 86400 + hour * 3600 + minute * 60 + second;
}

}  // namespace

Result<int64_t> parse_rfc1123(std::string_view text) {
  if (const auto lowered = match_shape(text)) {
    if (const auto seconds = parse_lowered(std::string_view(lowered->data(), lowered->size()))) return *seconds;
  }
  return fail(ErrorCode::kInvalidInput,
              "'" + std::string(text) + "' is not an RFC 1123 date such as 'Tue, 21 Jul 2020 17:55:31 GMT'");
}

Status check_request_date(std::string_view text, int64_t now_unix_seconds) {
  if (text.empty())
    return fail(ErrorCode::kUnauthorized, "The request carries no date, which is part of what its authorization token signs.");
  const Result<int64_t> seconds = parse_rfc1123(text);
  if (!seconds) return fail(ErrorCode::kUnauthorized, "The request's date cannot be read: " + seconds.error().message);
  const int64_t ahead = *seconds - now_unix_seconds;
  if (ahead <= kClockSkewMaxSeconds && ahead >= -kClockSkewMaxSeconds) return {};
  return fail(
      ErrorCode::kAuthorizationExpired,
      fmt::format(
          "The authorization token is not valid at the current time. The request is dated '{}', {} seconds {} this server's "
          "clock; at most {} are allowed. Check the clocks of both machines, or create another token and retry.",
          text, ahead < 0 ? -ahead : ahead, ahead < 0 ? "behind" : "ahead of", kClockSkewMaxSeconds));
}

}  // namespace partita::auth
