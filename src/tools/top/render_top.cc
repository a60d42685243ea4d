#include "tools/top/render_top.h"

#include "document/json/json.h"
#include "document/json/terminal_text.h"

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

// From here on a partition has little left.
constexpr double kNearlyUsedShare = 0.8;
// With more than this, the rest of the partition would fit into its budget.
constexpr double kOneKeyShare = 0.5;

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
      lines.push_back({terminal_text(fmt::format("{}/{}", text(container, "database"), text(container, "container"))), partition,
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
    const double share = std::clamp(rate / full, 0.0, 1.0);
    out += kBlocks[static_cast<size_t>(std::ceil(share * (kBlocks.size() - 1)))];
  }
  return out;
}

// Cut in the middle when it is too long: what distinguishes names is often at their ends.
std::string cut(std::string_view name) {
  if (name.size() <= kNameMax) return std::string(name);
  return fmt::format("{}…{}", name.substr(0, kNameMax / 2), name.substr(name.size() - kNameMax / 2 + 1));
}

double budget_of(const Line& line) { return number(line.partition, "budget"); }

double used_share(const Line& line) { return budget_of(line) == 0 ? 0 : line.units_per_second / budget_of(line); }

struct Column {
  std::string_view head;
  size_t width;
  int importance;  // the least goes first when there is no room
  std::string (*cell)(const Line& line);
};
constexpr std::array kColumns = {
    Column{"range", 5, 9, [](const Line& line) { return terminal_text(text(line.partition, "id")); }},
    Column{"documents", 10, 2, [](const Line& line) { return fmt::format("{}", number(line.partition, "documents")); }},
    Column{"size", 8, 4, [](const Line& line) { return size_text(number(line.partition, "bytes")); }},
    Column{"RU/s", 8, 8, [](const Line& line) { return fmt::format("{:.1f}", line.units_per_second); }},
    Column{"budget", 7, 5, [](const Line& line) { return budget_of(line) == 0 ? "-" : fmt::format("{:.0f}", budget_of(line)); }},
    Column{"used", 5, 7,
           [](const Line& line) { return budget_of(line) == 0 ? "-" : fmt::format("{:.0f}%", 100 * used_share(line)); }},
    Column{"429/s", 7, 6, [](const Line& line) { return fmt::format("{:.1f}", number(line.partition, "throttledPerSecond")); }},
    Column{"median", 7, 1, [](const Line& line) { return duration_text(number(line.partition, "latencyMedianUs")); }},
    Column{"99 %", 7, 3, [](const Line& line) { return duration_text(number(line.partition, "latency99Us")); }},
};

// What of a line is shown.
struct Layout {
  size_t name_width = 0;
  size_t width_max = 0;  // 0: any
  std::vector<Column> columns;
  bool has_graph = true;
};

Layout layout_of(size_t name_width, size_t terminal_columns) {
  Layout layout{.name_width = name_width, .width_max = terminal_columns, .columns = {kColumns.begin(), kColumns.end()}};
  if (terminal_columns == 0) return layout;
  const auto width = [&] {
    size_t all = name_width + (layout.has_graph ? kGraphPoints + 1 : 0);
    for (const Column& column : layout.columns) all += column.width + 1;
    return all;
  };
  if (width() > terminal_columns) layout.has_graph = false;
  while (width() > terminal_columns && layout.columns.size() > 1) {
    layout.columns.erase(std::ranges::min_element(layout.columns, {}, &Column::importance));
  }
  return layout;
}

// fmt counts a letter such as µ as one column, as terminals do.
void add_cells(std::string& out, std::string_view name, const Layout& layout, auto cell) {
  out += fmt::format("{:<{}}", name, layout.name_width);
  for (const Column& column : layout.columns) out += fmt::format(" {:>{}}", cell(column), column.width);
}

// A line of any length below that of a partition.
void add_note(std::string& out, const std::string& note, const Layout& layout) {
  out += layout.width_max == 0 ? note : fmt::format("{:.{}}", note, layout.width_max);
  out += "\n";
}

std::string_view colour_of(const Line& line) {
  if (number(line.partition, "throttledPerSecond") > 0) return "\x1b[31m";
  return used_share(line) >= kNearlyUsedShare ? "\x1b[33m" : "";
}

// Why requests are refused, and what can be done about it.
std::string_view advice_for(const Line& line) {
  if (number(line.partition, "throttledPerSecond") == 0) return "";
  const Value keys = line.partition.find("hotKeys");
  const bool is_one_key = keys.is_array() && keys.size() > 0 && number(keys.element(0), "share") > kOneKeyShare;
  return is_one_key ? "throttled for one key value, which no split can spread: give it more throughput, or choose a finer key"
                    : "throttled: raise the throughput, or split this partition";
}

void add_line(std::string& out, const Line& line, const Span& span, const Layout& layout, bool is_coloured) {
  const std::string_view colour = is_coloured ? colour_of(line) : "";
  out += colour;
  add_cells(out, cut(line.container), layout, [&](const Column& column) { return column.cell(line); });
  if (layout.has_graph) out += graph(line.partition, span, budget_of(line));
  out += colour.empty() ? "\n" : "\x1b[0m\n";
  const Value keys = line.partition.find("hotKeys");
  for (size_t i = 0; keys.is_array() && i < std::min(keys.size(), kHotKeysShown); ++i) {
    const Value key = keys.element(i);
    if (number(key, "share") < kHotShareMin || line.units_per_second == 0) continue;
    const bool is_known = key.find("partitionKey").is_string();
    const std::string_view name = text(key, is_known ? "partitionKey" : "effectivePartitionKey");
    add_note(out, fmt::format("    {:>3.0f}% {}", 100 * number(key, "share"), terminal_text(name)), layout);
  }
  if (const std::string_view advice = advice_for(line); !advice.empty())
    add_note(out, fmt::format("         {}", advice), layout);
}

}  // namespace

Result<std::string> render_top(std::string_view statistics_json, const TopView& view) {
  const Span span = span_of(view.span);
  TRY_ASSIGN(const std::string stored, stored_from_json(statistics_json));
  const std::vector<Line> lines = lines_of(Value::view(stored));
  const auto shown = lines | std::views::take(view.lines_max);
  double units = 0;
  double throttled = 0;
  for (const Line& line : lines) {
    units += line.units_per_second;
    throttled += number(line.partition, "throttledPerSecond");
  }
  std::string out = fmt::format("{} partitions, {:.1f} RU/s, {:.1f} throttled/s\n\n", lines.size(), units, throttled);
  std::vector<size_t> widths = {std::string_view("container").size()};
  for (const Line& line : shown) widths.push_back(std::min(line.container.size(), kNameMax));
  const Layout layout = layout_of(std::ranges::max(widths), view.columns);
  add_cells(out, "container", layout, [](const Column& column) { return column.head; });
  out += layout.has_graph ? fmt::format(" {} {}\n", kGraphPoints, span.name) : "\n";
  for (const Line& line : shown) add_line(out, line, span, layout, view.is_coloured);
  if (lines.size() > view.lines_max) out += fmt::format("... and {} more\n", lines.size() - view.lines_max);
  return out;
}

}  // namespace partita::tools
