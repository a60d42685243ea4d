#include "tools/bench/report/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace partita::tools::bench {
namespace {

size_t characters(std::string_view text) {
  return static_cast<size_t>(std::ranges::count_if(text, [](char byte) { return (static_cast<uint8_t>(byte) & 0xC0) != 0x80; }));
}

}  // namespace

std::string count_text(uint64_t count) {
  std::string digits = fmt::format("{}", count);
  for (size_t at = digits.size(); at > 3;) digits.insert(at -= 3, ",");
  return digits;
}

std::string number_text(double number) {
  const double size = std::abs(number);
  if (size >= 99.95 || number == std::floor(number))
    return (number < 0 ? "-" : "") + count_text(static_cast<uint64_t>(std::llround(size)));
  return fmt::format("{:.{}f}", number, size >= 9.995 ? 1 : size >= 0.9995 ? 2 : 3);
}

std::string latency_text(double microseconds) {
  if (microseconds < 1000) return fmt::format("{:.0f} µs", microseconds);
  const bool is_seconds = microseconds >= 999'500;
  const double number = microseconds / (is_seconds ? 1e6 : 1e3);
  return fmt::format("{:.{}f} {}", number, number >= 99.95 ? 0 : number >= 9.995 ? 1 : 2, is_seconds ? "s" : "ms");
}

std::string duration_text(double seconds) {
  if (seconds < 10) return fmt::format("{:.1f} s", seconds);
  const auto whole = static_cast<uint64_t>(std::llround(seconds));
  return whole < 120 ? fmt::format("{} s", whole) : fmt::format("{} min {} s", whole / 60, whole % 60);
}

std::string right(std::string_view text, size_t columns) {
  return std::string(columns - std::min(columns, characters(text)), ' ') + std::string(text);
}

std::string left(std::string_view text, size_t columns) {
  return std::string(text) + std::string(columns - std::min(columns, characters(text)), ' ');
}

std::string bar_text(double share, size_t columns) {
  constexpr std::array<std::string_view, 9> kEighths = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"};
  const auto eighths = static_cast<size_t>(std::llround(std::clamp(share, 0.0, 1.0) * static_cast<double>(columns * 8)));
  std::string bar;
  for (size_t i = 0; i < eighths / 8; ++i) bar += kEighths[8];
  return bar += kEighths[eighths % 8];
}

}  // namespace partita::tools::bench
