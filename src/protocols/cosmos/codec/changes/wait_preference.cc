#include "protocols/cosmos/codec/changes/wait_preference.h"

#include "net/http/http_message.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace partita::cosmos {
namespace {

// Nobody waits that long; what is beyond it is the same.
constexpr int64_t kMillisecondsMax = 86'400'000;

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t";
  const size_t begin = text.find_first_not_of(kSpace);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpace) - begin + 1);
}

// Of a preference without its parameters.
std::optional<int64_t> wait_in(std::string_view preference) {
  const size_t equals = preference.find('=');
  if (equals == std::string_view::npos || !net::equal_without_case(trimmed(preference.substr(0, equals)), "wait")) {
    return std::nullopt;
  }
  const std::string_view digits = trimmed(preference.substr(equals + 1));
  const bool is_number = !digits.empty() && std::ranges::all_of(digits, [](char c) { return c >= '0' && c <= '9'; });
  if (!is_number) return std::nullopt;
  int64_t seconds = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), seconds);
  if (error == std::errc::result_out_of_range) return kMillisecondsMax;
  return std::min(seconds, kMillisecondsMax / 1000) * 1000;
}

}  // namespace

Result<int64_t> parse_polling_interval(std::string_view text) {
  double milliseconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), milliseconds);
  const bool is_number = error == std::errc() && end == text.data() + text.size() && std::isfinite(milliseconds);
  if (!is_number || milliseconds < 0) {
    return fail(ErrorCode::kInvalidInput, fmt::format("'{}' is not a number of milliseconds to wait for changes.", text));
  }
  return static_cast<int64_t>(std::min(milliseconds, static_cast<double>(kMillisecondsMax)));
}

std::optional<int64_t> parse_wait_preference(std::string_view preferences) {
  while (!preferences.empty()) {
    const size_t comma = std::min(preferences.find(','), preferences.size());
    const std::string_view preference = preferences.substr(0, comma);
    if (const std::optional<int64_t> wait_ms = wait_in(preference.substr(0, preference.find(';')))) return wait_ms;
    preferences.remove_prefix(std::min(comma + 1, preferences.size()));
  }
  return std::nullopt;
}

}  // namespace partita::cosmos
