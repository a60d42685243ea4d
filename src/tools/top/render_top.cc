#include "tools/top/render_top.h"

#include "document/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

namespace partita::tools {
namespace {

// Key values below this share of their partition's load are not worth a line.
constexpr double kHotShareMin = 0.1;
constexpr size_t kHotKeysShown = 3;

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
  return fmt::format("{:.{}f} {}", bytes, unit == 0 ? 0 : 1, kUnits[unit]);
}

std::string duration_text(double us) { return us < 1000 ? fmt::format("{:.0f} µs", us) : fmt::format("{:.1f} ms", us / 1000); }

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

void add_line(std::string& out, const Line& line) {
  const Value& partition = line.partition;
  const double budget = number(partition, "budget");
  out += fmt::format("{:<32} {:>5} {:>12} {:>10} {:>10.1f} {:>8} {:>6} {:>9.1f} {:>9} {:>9}\n", line.container,
                     text(partition, "id"), number(partition, "documents"), size_text(number(partition, "bytes")),
                     line.units_per_second, budget == 0 ? "-" : fmt::format("{:.0f}", budget),
                     budget == 0 ? "-" : fmt::format("{:.0f}%", 100 * line.units_per_second / budget),
                     number(partition, "throttledPerSecond"), duration_text(number(partition, "latencyMedianUs")),
                     duration_text(number(partition, "latency99Us")));
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

Result<std::string> render_top(std::string_view statistics_json, size_t lines_max) {
  TRY_ASSIGN(const std::string stored, stored_from_json(statistics_json));
  const std::vector<Line> lines = lines_of(Value::view(stored));
  double units = 0;
  double throttled = 0;
  for (const Line& line : lines) {
    units += line.units_per_second;
    throttled += number(line.partition, "throttledPerSecond");
  }
  std::string out = fmt::format("{} partitions, {:.1f} RU/s, {:.1f} throttled/s\n\n", lines.size(), units, throttled);
  out += fmt::format("{:<32} {:>5} {:>12} {:>10} {:>10} {:>8} {:>6} {:>9} {:>9} {:>9}\n", "container", "range", "documents",
                     "size", "RU/s", "budget", "used", "429/s", "median", "99 %");
  for (size_t i = 0; i < std::min(lines.size(), lines_max); ++i) add_line(out, lines[i]);
  if (lines.size() > lines_max) out += fmt::format("... and {} more\n", lines.size() - lines_max);
  return out;
}

}  // namespace partita::tools
