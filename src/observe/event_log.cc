#include "observe/event_log.h"

#include "observe/log.h"

#include <fmt/format.h>

namespace partita::observe {
namespace {

constexpr int64_t kMinuteUs = 60'000'000;

void log(EventSeverity severity, const std::string& line) {
  switch (severity) {
    case EventSeverity::kInfo: return spdlog::info("{}", line);
    case EventSeverity::kWarning: return spdlog::warn("{}", line);
    case EventSeverity::kError: return spdlog::error("{}", line);
  }
}

std::string line_of(const Event& event, uint64_t left_out) {
  std::string line = fmt::format("{}: {}", event.room, escaped_for_log(event.what));
  if (!event.where.empty()) line += fmt::format(" [{}]", escaped_for_log(event.where));
  if (!event.advice.empty()) line += fmt::format("; {}", escaped_for_log(event.advice));
  if (left_out > 0) line += fmt::format(" ({} more of this kind were not logged)", left_out);
  return line;
}

}  // namespace

std::string escaped_for_log(std::string_view text) {
  std::string escaped;
  for (const char c : text.substr(0, kEventTextBytesMax)) {
    if (c == '\\') {
      escaped += "\\\\";
    } else if (c >= ' ' && c < 0x7F) {
      escaped += c;
    } else {
      escaped += fmt::format("\\x{:02X}", static_cast<unsigned char>(c));
    }
  }
  if (text.size() > kEventTextBytesMax) escaped += "...";
  return escaped;
}

EventLog::EventLog(const Clock& clock) : EventLog(clock, log) {}

std::optional<uint64_t> EventLog::admit(const Event& event) {
  const int64_t minute = clock_.steady_us() / kMinuteUs;
  std::lock_guard lock(mutex_);
  Kind& kind = kinds_[{std::string(event.room), std::string(event.kind)}];
  ++kind.count;
  if (kind.minute != minute) {
    kind.minute = minute;
    kind.in_minute = 0;
  }
  if (++kind.in_minute <= kEventsLoggedPerMinute) return std::exchange(kind.unlogged, 0);
  ++kind.unlogged;
  return std::nullopt;
}

void EventLog::report(const Event& event) {
  if (const std::optional<uint64_t> left_out = admit(event)) write_(event.severity, line_of(event, *left_out));
}

Metrics::Samples EventLog::counts() const {
  std::lock_guard lock(mutex_);
  Metrics::Samples samples;
  for (const auto& [name, kind] : kinds_) {
    samples.push_back({{{"room", name.first}, {"kind", name.second}}, static_cast<double>(kind.count)});
  }
  return samples;
}

}  // namespace partita::observe
