#include "tools/bench/report/report_text.h"

#include "tools/bench/report/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ranges>
#include <vector>

namespace partita::tools::bench {
namespace {

constexpr size_t kColumns = 80;
constexpr size_t kPartitionsShown = 16;
constexpr size_t kMessageMax = 300;

std::string row(std::string_view name, std::string_view count, std::string_view rate, const std::array<std::string, 4>& latencies,
                std::string_view units) {
  std::string line = left(name, 17) + right(count, 12) + right(rate, 9);
  for (const std::string& latency : latencies) line += right(latency, 9);
  return line + right(units, 6) + "\n";
}

std::string kind_row(const Report& report, const OperationReport& kind) {
  const LatencyReport& latency = kind.latency;
  const auto operations = static_cast<double>(std::max<uint64_t>(kind.operations + kind.errors, 1));
  return row(
      kind.name, count_text(kind.operations), number_text(report.per_second(static_cast<double>(kind.operations))),
      {latency_text(latency.at(50)), latency_text(latency.at(95)), latency_text(latency.at(99)), latency_text(latency.at(100))},
      number_text(kind.request_units / operations));
}

std::string kinds_table(const Report& report) {
  std::string table = row("operation", "count", "op/s", {"p50", "p95", "p99", "max"}, "RU");
  for (const OperationReport& kind : report.kinds) table += kind_row(report, kind);
  if (report.kinds.size() > 1) {
    table += row(
        "all", count_text(report.operations()), number_text(report.per_second(static_cast<double>(report.operations()))), {},
        number_text(report.request_units() / static_cast<double>(std::max<uint64_t>(report.operations() + report.errors(), 1))));
    while (table.ends_with(" \n")) table.erase(table.size() - 2, 1);
  }
  return table;
}

std::string totals(const Report& report) {
  return fmt::format("{} RU/s, {} throttled, {} errors\n", number_text(report.per_second(report.request_units())),
                     count_text(report.throttles()), count_text(report.errors()));
}

std::string cpu(const Report& report) {
  const std::string server = report.server_cpu_us() < 0 ? "unknown" : fmt::format("{:.1f} µs", report.server_cpu_us());
  return fmt::format("processor time per operation: {:.1f} µs here, server {}\n", std::max(report.client_cpu_us(), 0.0), server);
}

std::string statuses(const Report& report) {
  const bool is_clean =
      report.errors() == 0 && std::ranges::all_of(report.statuses, [](const auto& each) { return each.first[0] == '2'; });
  if (is_clean) return {};
  std::string text = "answers:";
  for (const auto& [status, times] : report.statuses) text += fmt::format(" {} × {},", status, count_text(times));
  text.back() = '\n';
  if (!report.first_error.empty()) text += fmt::format("first error: {}\n", report.first_error.substr(0, kMessageMax));
  return text;
}

std::string partitions(const Report& report) {
  if (report.partitions.empty()) return {};
  std::vector<PartitionReport> busiest = report.partitions;
  std::ranges::sort(busiest, std::greater<>(), &PartitionReport::requests);
  uint64_t all = 0;
  for (const PartitionReport& partition : busiest) all += partition.requests;
  const double whole = static_cast<double>(std::max<uint64_t>(all, 1));
  const double most = static_cast<double>(std::max<uint64_t>(busiest.front().requests, 1));
  std::string table = fmt::format("\n{}{}{}{}{}\n", left("partition", 11), right("requests", 12), right("share", 9),
                                  right("RU/s", 10), right("429", 9));
  for (const PartitionReport& partition : busiest | std::views::take(kPartitionsShown)) {
    const auto requests = static_cast<double>(partition.requests);
    table += fmt::format("{}{}{}{}{}  {}\n", left(partition.range, 11), right(count_text(partition.requests), 12),
                         right(fmt::format("{:.1f} %", 100 * requests / whole), 9),
                         right(number_text(report.per_second(partition.request_units)), 10),
                         right(count_text(partition.throttles), 9), bar_text(requests / most, kColumns - 54));
  }
  if (busiest.size() > kPartitionsShown) table += fmt::format("... and {} more\n", busiest.size() - kPartitionsShown);
  return table;
}

std::string setting(const Report& report, std::string_view name) {
  const auto found = std::ranges::find(report.settings, name, &std::pair<std::string, std::string>::first);
  return found == report.settings.end() ? std::string() : found->second;
}

std::string head(const Report& report) {
  return fmt::format("workload {}\n{}, container {}\n{}\n{} documents, {} keys\n", setting(report, "workload"),
                     setting(report, "endpoint"), setting(report, "container"), setting(report, "load"),
                     setting(report, "documents"), setting(report, "keys"));
}

std::string time_text(double seconds) {
  constexpr double kMinutesFrom = 120;
  const auto whole = static_cast<uint64_t>(std::clamp(seconds, 0.0, 1e9));
  return seconds < kMinutesFrom ? duration_text(seconds) : fmt::format("{}:{:02}", whole / 60, whole % 60);
}

std::string graph(const Report& report) {
  constexpr std::array<std::string_view, 9> kBlocks = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  const size_t points = std::min<size_t>(report.timeline.size(), 60);
  const auto latest = report.timeline | std::views::drop(report.timeline.size() - points);
  const auto rate = [](const IntervalReport& interval) {
    return static_cast<double>(interval.operations) / std::max(interval.seconds, 1e-9);
  };
  double most = 1;
  for (const IntervalReport& interval : latest) most = std::max(most, rate(interval));
  std::string line;
  for (const IntervalReport& interval : latest) line += kBlocks[static_cast<size_t>(rate(interval) / most * 8)];
  return fmt::format("op/s {}  most {}\n", line, number_text(most));
}

}  // namespace

std::string progress_line(const IntervalReport& interval) {
  const auto per_second = [&](double count) { return number_text(count / std::max(interval.seconds, 1e-9)); };
  return fmt::format("{} {} op/s  p50 {}  p99 {}  {} RU/s  {} × 429  {} errors\n", right(time_text(interval.at_seconds), 7),
                     right(per_second(static_cast<double>(interval.operations)), 7), right(latency_text(interval.p50_us), 7),
                     right(latency_text(interval.p99_us), 7), right(per_second(interval.request_units), 7), interval.throttles,
                     interval.errors);
}

std::string report_text(const Report& report) {
  const std::string missed =
      report.missed == 0 ? "" : fmt::format("{} operations were due at the end and had not begun\n", count_text(report.missed));
  return fmt::format("{}{} measured{}\n\n{}\n{}{}{}{}{}", head(report), duration_text(report.seconds),
                     report.is_interrupted ? ", then interrupted" : "", kinds_table(report), totals(report), missed, cpu(report),
                     statuses(report), partitions(report));
}

std::string live_text(const Report& report, std::string_view phase) {
  const std::string now = report.timeline.empty() ? "\n" : graph(report) + progress_line(report.timeline.back());
  return fmt::format("{}{}   q ends it, with a report\n\n{}\n{}\n{}{}{}", head(report), phase, now, kinds_table(report),
                     totals(report), statuses(report), partitions(report));
}

}  // namespace partita::tools::bench
