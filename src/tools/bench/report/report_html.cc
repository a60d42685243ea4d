#include "tools/bench/report/report_html.h"

#include "tools/bench/report/chart.h"
#include "tools/bench/report/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace partita::tools::bench {
namespace {

constexpr std::string_view kStyle = R"(
:root{--page:#f6f7f9;--card:#fff;--ink:#1c2430;--soft:#5c6675;--line:#e1e5ea;--c0:#2563eb;--c1:#e0562b;--c2:#16a34a;--c3:#9333ea;--c4:#ca8a04;--c5:#0891b2}
@media(prefers-color-scheme:dark){:root{--page:#12161c;--card:#1b212a;--ink:#e6eaf0;--soft:#98a3b3;--line:#2d3643}}
*{box-sizing:border-box}body{margin:0;background:var(--page);color:var(--ink);font:14px/1.45 system-ui,sans-serif}
main{max-width:1080px;margin:0 auto;padding:24px}h1{font-size:22px;margin:0}h2{font-size:14px;margin:0 0 10px}
.sub{color:var(--soft);margin:4px 0 18px}.warn{color:var(--c1);font-weight:600}
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(120px,1fr));gap:12px;margin-bottom:12px}
.pair{display:grid;grid-template-columns:repeat(auto-fit,minmax(440px,1fr));gap:12px}
.card{background:var(--card);border:1px solid var(--line);border-radius:8px;padding:14px 16px;margin-bottom:12px;overflow-x:auto}
.tiles .card{margin:0}.tile b{display:block;font-size:22px;font-variant-numeric:tabular-nums}.tile span{color:var(--soft)}
table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}th{color:var(--soft);font-weight:500}
th,td{text-align:right;padding:5px 8px;border-bottom:1px solid var(--line);white-space:nowrap}th:first-child,td:first-child{text-align:left}
tr:last-child td{border-bottom:0}.wrap td{white-space:normal;overflow-wrap:anywhere;text-align:left}.wrap td:first-child{color:var(--soft);width:180px}
svg{width:100%;height:auto;display:block}svg text{fill:var(--soft);font-size:11px}.grid{stroke:var(--line)}
polyline{fill:none;stroke-width:2;stroke-linejoin:round}.l0{stroke:var(--c0)}.l1{stroke:var(--c1)}.l2{stroke:var(--c2)}.l3{stroke:var(--c3)}.l4{stroke:var(--c4)}.l5{stroke:var(--c5)}
.b0{fill:var(--c0)}.b1{fill:var(--c1)}.legend{display:flex;gap:16px;flex-wrap:wrap;color:var(--soft);margin-top:6px}
.legend i{display:inline-block;width:12px;height:3px;margin-right:6px;vertical-align:middle}
.c0{background:var(--c0)}.c1{background:var(--c1)}.c2{background:var(--c2)}.c3{background:var(--c3)}.c4{background:var(--c4)}.c5{background:var(--c5)}
)";

std::string setting(const Report& report, std::string_view name) {
  const auto found = std::ranges::find(report.settings, name, &std::pair<std::string, std::string>::first);
  return found == report.settings.end() ? std::string() : found->second;
}

std::string card(std::string_view title, std::string_view content) {
  return content.empty() ? std::string() : fmt::format(R"(<section class="card"><h2>{}</h2>{}</section>)", title, content);
}

std::string tile(std::string_view value, std::string_view name) {
  return fmt::format(R"(<div class="card tile"><b>{}</b><span>{}</span></div>)", escape_html(value), escape_html(name));
}

std::string tiles(const Report& report) {
  std::string out = R"(<div class="tiles">)";
  out += tile(number_text(report.per_second(static_cast<double>(report.operations()))), "operations a second");
  out += tile(number_text(report.per_second(report.request_units())), "RU/s");
  out += tile(count_text(report.operations()), "operations");
  out += tile(count_text(report.throttles()), "throttled");
  out += tile(count_text(report.errors()), "errors");
  out += tile(report.client_cpu_us() < 0 ? "?" : fmt::format("{:.1f} µs", report.client_cpu_us()), "client CPU per operation");
  if (report.server_cpu_us() >= 0) out += tile(fmt::format("{:.1f} µs", report.server_cpu_us()), "server CPU per operation");
  return out + "</div>";
}

std::string kinds_table(const Report& report) {
  constexpr std::array<double, 7> kShown = {50, 90, 95, 99, 99.9, 99.99, 100};
  std::string out = "<table><tr><th>operation</th><th>count</th><th>per second</th><th>mean</th>";
  for (const double percent : kShown) out += percent == 100 ? "<th>max</th>" : fmt::format("<th>p{}</th>", percent);
  out += "<th>errors</th><th>429</th><th>RU each</th></tr>";
  for (const OperationReport& kind : report.kinds) {
    out += fmt::format("<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td>", escape_html(kind.name), count_text(kind.operations),
                       number_text(report.per_second(static_cast<double>(kind.operations))), latency_text(kind.latency.mean_us));
    for (const double percent : kShown) out += fmt::format("<td>{}</td>", latency_text(kind.latency.at(percent)));
    out +=
        fmt::format("<td>{}</td><td>{}</td><td>{}</td></tr>", count_text(kind.errors), count_text(kind.throttles),
                    number_text(kind.request_units / static_cast<double>(std::max<uint64_t>(kind.operations + kind.errors, 1))));
  }
  return out + "</table>";
}

using Value = double (*)(const IntervalReport&);

Series over_time(const Report& report, std::string name, Value value) {
  Series series{.name = std::move(name), .points = {}};
  for (const IntervalReport& interval : report.timeline) {
    if (interval.seconds > 0) series.points.emplace_back(interval.at_seconds, value(interval));
  }
  return series;
}

const Axis kTime{.text = [](double seconds) { return fmt::format("{:g} s", seconds); }};
const Axis kRate{.text = number_text};

std::string rate_chart(const Report& report) {
  std::vector<Series> series = {over_time(
      report, "operations", [](const IntervalReport& part) { return static_cast<double>(part.operations) / part.seconds; })};
  if (report.throttles() > 0) {
    series.push_back(over_time(report, "throttled",
                               [](const IntervalReport& part) { return static_cast<double>(part.throttles) / part.seconds; }));
  }
  if (report.errors() > 0) {
    series.push_back(
        over_time(report, "errors", [](const IntervalReport& part) { return static_cast<double>(part.errors) / part.seconds; }));
  }
  return line_chart(series, kTime, kRate);
}

std::string latency_chart(const Report& report) {
  const std::vector<Series> series = {over_time(report, "p50", [](const IntervalReport& part) { return part.p50_us; }),
                                      over_time(report, "p99", [](const IntervalReport& part) { return part.p99_us; })};
  return line_chart(series, kTime, {.text = latency_text, .is_logarithmic = true});
}

std::string units_chart(const Report& report) {
  return line_chart({over_time(report, "RU/s", [](const IntervalReport& part) { return part.request_units / part.seconds; })},
                    kTime, kRate);
}

// By how rare a latency is: 50 %, 90 %, 99 % and so on stand at equal distances.
std::string percentile_chart(const Report& report) {
  const auto rarity = [](double percent) { return percent >= 100 ? 5.0 : -std::log10(1 - percent / 100); };
  std::vector<Series> series;
  for (const OperationReport& kind : report.kinds) {
    Series curve{.name = kind.name, .points = {}};
    for (size_t i = 0; i < kPercentiles.size(); ++i) {
      if (kind.operations > 0) curve.points.emplace_back(rarity(kPercentiles[i]), kind.latency.percentiles_us[i]);
    }
    series.push_back(std::move(curve));
  }
  const Axis percents{.text = number_text,
                      .marks = {{rarity(50), "50 %"}, {1, "90 %"}, {2, "99 %"}, {3, "99.9 %"}, {4, "99.99 %"}, {5, "max"}}};
  return line_chart(series, percents, {.text = latency_text, .is_logarithmic = true});
}

std::string partition_chart(const Report& report) {
  constexpr size_t kShown = 40;
  std::vector<PartitionReport> busiest = report.partitions;
  std::ranges::sort(busiest, std::greater<>(), &PartitionReport::requests);
  if (busiest.size() > kShown) busiest.resize(kShown);
  std::vector<Bar> bars;
  for (const PartitionReport& partition : busiest) {
    const std::string throttled = partition.throttles == 0 ? "" : fmt::format(", {} × 429", count_text(partition.throttles));
    bars.push_back({.name = fmt::format("range {}", partition.range),
                    .value = static_cast<double>(partition.requests + partition.throttles),
                    .marked = static_cast<double>(partition.throttles),
                    .text = fmt::format("{} requests, {} RU/s{}", count_text(partition.requests),
                                        number_text(report.per_second(partition.request_units)), throttled)});
  }
  return bar_chart(bars);
}

std::string status_table(const Report& report) {
  std::string out = R"(<table class="wrap">)";
  for (const auto& [status, times] : report.statuses)
    out += fmt::format("<tr><td>{}</td><td>{}</td></tr>", escape_html(status), count_text(times));
  if (!report.first_error.empty())
    out += fmt::format("<tr><td>first error</td><td>{}</td></tr>", escape_html(report.first_error));
  return out + "</table>";
}

std::string settings_table(const Report& report) {
  std::string out = R"(<table class="wrap">)";
  for (const auto& [name, value] : report.settings) {
    out += fmt::format("<tr><td>{}</td><td>{}</td></tr>", escape_html(name), escape_html(value));
  }
  return out + "</table>";
}

std::string warnings(const Report& report) {
  std::string out;
  if (report.is_interrupted) out += "The run was interrupted. ";
  if (report.missed > 0) out += fmt::format("{} operations were due at the end and had not begun.", count_text(report.missed));
  return out.empty() ? out : fmt::format(R"(<p class="warn">{}</p>)", out);
}

}  // namespace

std::string report_html(const Report& report) {
  const std::string title = fmt::format("partita bench, workload {}", setting(report, "workload"));
  std::string out = fmt::format(
      "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\">"
      "<title>{}</title><style>{}</style></head><body><main><h1>{}</h1>",
      escape_html(title), kStyle, escape_html(title));
  out += fmt::format(R"(<p class="sub">{} on {}, {}. {} from {}.</p>{})", escape_html(setting(report, "container")),
                     escape_html(setting(report, "endpoint")), escape_html(setting(report, "load")),
                     duration_text(report.seconds), escape_html(report.started_at), warnings(report));
  out += tiles(report);
  out += card("Operations; latencies of those that succeeded", kinds_table(report));
  out += R"(<div class="pair">)" + card("Operations a second", rate_chart(report)) +
         card("Latency over time", latency_chart(report));
  out += card("Latency by percentile", percentile_chart(report)) + card("Request units a second", units_chart(report)) + "</div>";
  out += card("Requests by physical partition", partition_chart(report));
  out += R"(<div class="pair">)" + card("Answers", status_table(report)) + card("Settings", settings_table(report)) + "</div>";
  return out + fmt::format(R"(<p class="sub">Partita {}</p></main></body></html>)", escape_html(report.version)) + "\n";
}

}  // namespace partita::tools::bench
