#include "tools/top/render_top.h"

#include "document/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <ranges>
#include <vector>

namespace partita::tools {
namespace {

// Key values below this share of their partition's load are not worth a line.
constexpr double kHotShareMin = 0.1;
constexpr size_t kHotKeysShown = 3;

constexpr size_t kGraphPoints = 20;
constexpr size_t kNameMax = 32;

// How the history of a span is called in the statistics, and how many seconds each of its tallies is about.
struct Span {
  std::string_view name;
  double seconds;
};

Span span_of(TopSpan span) {
  switch (span) {
    case TopSpan::kSeconds: return {"seconds", 1};
    case TopSpan::kMinutes: return {"minutes", 60};
    case TopSpan::kHours: return {"hours", 3600};
  }
  return {};
}

struct Line {
  std::string container;
  Value partition;
  double units_per_second = 0;
  size_t ordinal = 0;  // in the answer
};

double number(const Value& object, std::string_view name) {
  const Value found = object.find(name);
  return found.is_number() ? found.number() : 0;
}

std::string_view text(const Value& object, std::string_view name) {
  const Value found = object.find(name);
  return found.is_string() ? found.string() : std::string_view("?");
}

std::string size_text(double bytes) {
  constexpr std::array<std::string_view, 5> kUnits = {"B", "KB", "MB", "GB", "TB"};
  size_t unit = 0;
  for (; bytes >= 1024 && unit + 1 < kUnits.size(); ++unit) bytes /= 1024;
  return fmt::format("{:.{}f} {}", bytes, unit == 0 || bytes >= 100 ? 0 : 1, kUnits[unit]);
}

std::string duration_text(double us) {
  if (us < 1000) return fmt::format("{:.0f} µs", us);
  if (us < 1e6) return fmt::format("{:.{}f} ms", us / 1000, us < 1e5 ? 1 : 0);
  return fmt::format("{:.1f} s", us / 1e6);
}

std::vector<Line> lines_of(const Value& statistics) {
  std::vector<Line> lines;
  const Value containers = statistics.find("containers");
  for (size_t c = 0; containers.is_array() && c < containers.size(); ++c) {
    const Value container = containers.element(c);
    const Value partitions = container.find("partitions");
    for (size_t p = 0; partitions.is_array() && p < partitions.size(); ++p) {
      const Value partition = partitions.element(p);
      lines.push_back({fmt::format("{}/{}", text(container, "database"), text(container, "container")), partition,
                       number(partition, "requestUnitsPerSecond"), lines.size()});
    }
  }
  std::ranges::sort(lines, {}, [](const Line& line) { return std::pair(-line.units_per_second, line.ordinal); });
  return lines;
}

// RU/s in the last kGraphPoints periods, the latest at the right. A full block is the budget, or without one the largest of them.
std::string graph(const Value& partition, const Span& span, double budget) {
  constexpr std::array<std::string_view, 9> kBlocks = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  const Value tallies = partition.find(span.name);
  std::vector<double> rates(kGraphPoints);  // the latest first, as the statistics have them
  for (size_t i = 0; tallies.is_array() && i < std::min(kGraphPoints, tallies.size()); ++i) {
    rates[i] = number(tallies.element(i), "requestUnits") / span.seconds;
  }
  const double largest = std::ranges::max(rates);
  if (largest == 0) return "";
  const double full = budget > 0 ? budget : largest;
  std::string out = " ";
  for (const double rate : rates | std::views::reverse) {
    const double share = std::min(rate / full, 1.0);
    out += kBlocks[static_cast<size_t>(std::ceil(share * (kBlocks.size() - 1)))];
  }
  return out;
}

// Cut in the middle when it is too long: what distinguishes names is often at their ends.
std::string cut(std::string_view name) {
  if (name.size() <= kNameMax) return std::string(name);
  return fmt::format("{}…{}", name.substr(0, kNameMax / 2), name.substr(name.size() - kNameMax / 2 + 1));
}

void add_line(std::string& out, const Line& line, const Span& span, size_t name_width) {
  const Value& partition = line.partition;
  const double budget = number(partition, "budget");
  out += fmt::format("{:<{}} {:>5} {:>10} {:>8} {:>8.1f} {:>7} {:>5} {:>7.1f} {:>7} {:>7}{}\n", cut(line.container), name_width,
                     text(partition, "id"), number(partition, "documents"), size_text(number(partition, "bytes")),
                     line.units_per_second, budget == 0 ? "-" : fmt::format("{:.0f}", budget),
                     budget == 0 ? "-" : fmt::format("{:.0f}%", 100 * line.units_per_second / budget),
                     number(partition, "throttledPerSecond"), duration_text(number(partition, "latencyMedianUs")),
                     duration_text(number(partition, "latency99Us")), graph(partition, span, budget));
  const Value keys = partition.find("hotKeys");
  for (size_t i = 0; keys.is_array() && i < std::min(keys.size(), kHotKeysShown); ++i) {
    const Value key = keys.element(i);
    if (number(key, "share") < kHotShareMin || line.units_per_second == 0) continue;
    const bool is_known = key.find("partitionKey").is_string();
    out += fmt::format("    {:>3.0f}% {}\n", 100 * number(key, "share"),
                       text(key, is_known ? "partitionKey" : "effectivePartitionKey"));
  }
}

}  // namespace

Result<std::string> render_top(std::string_view statistics_json, size_t lines_max, TopSpan top_span) {
  const Span span = span_of(top_span);
  TRY_ASSIGN(const std::string stored, stored_from_json(statistics_json));
  const std::vector<Line> lines = lines_of(Value::view(stored));
  const auto shown = lines | std::views::take(lines_max);
  double units = 0;
  double throttled = 0;
  for (const Line& line : lines) {
    units += line.units_per_second;
    throttled += number(line.partition, "throttledPerSecond");
  }
  std::string out = fmt::format("{} partitions, {:.1f} RU/s, {:.1f} throttled/s\n\n", lines.size(), units, throttled);
  std::vector<size_t> widths = {std::string_view("container").size()};
  for (const Line& line : shown) widths.push_back(std::min(line.container.size(), kNameMax));
  const size_t name_width = std::ranges::max(widths);
  out += fmt::format("{:<{}} {:>5} {:>10} {:>8} {:>8} {:>7} {:>5} {:>7} {:>7} {:>7} {}\n", "container", name_width, "range",
                     "documents", "size", "RU/s", "budget", "used", "429/s", "median", "99 %",
                     fmt::format("{} {}", kGraphPoints, span.name));
  for (const Line& line : shown) add_line(out, line, span, name_width);
  if (lines.size() > lines_max) out += fmt::format("... and {} more\n", lines.size() - lines_max);
  return out;
}

}  // namespace partita::tools
