#include "tools/bench/report/report.h"

#include "document/json/json.h"
#include "document/stored/stored_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace partita::tools::bench {
namespace {

constexpr std::string_view kTool = "partita bench";
// Reports that somebody gives us are not larger than any that we write.
constexpr size_t kReportBytesMax = size_t{16} << 20;

class Writer {
 public:
  void begin(std::string_view key = {}) {
    name(key);
    out_.begin_object();
  }
  void end() { out_.end_object(); }
  void field(std::string_view key, std::string_view text) {
    out_.key(key);
    out_.string(text);
  }
  void field(std::string_view key, double number) {
    out_.key(key);
    out_.number(std::isfinite(number) ? std::round(number * 1000) / 1000 : 0);
  }
  void count(std::string_view key, uint64_t number) {
    out_.key(key);
    out_.integer(static_cast<int64_t>(number));
  }
  template <typename Items, typename Write>
  void list(std::string_view key, const Items& items, Write write) {
    out_.key(key);
    out_.begin_array();
    for (const auto& item : items) {
      begin();
      write(item);
      end();
    }
    out_.end_array();
  }
  StoredWriter& stored() { return out_; }

 private:
  void name(std::string_view key) {
    if (!key.empty()) out_.key(key);
  }
  StoredWriter out_;
};

void write_latency(Writer& out, const LatencyReport& latency) {
  out.begin("latencyMicroseconds");
  out.field("mean", latency.mean_us);
  out.field("min", latency.min_us);
  for (size_t i = 0; i < kPercentiles.size(); ++i) {
    out.field(kPercentiles[i] == 100 ? "max" : fmt::format("p{}", kPercentiles[i]), latency.percentiles_us[i]);
  }
  out.end();
}

void write_kind(Writer& out, const Report& report, const OperationReport& kind) {
  out.field("name", kind.name);
  out.count("operations", kind.operations);
  out.count("errors", kind.errors);
  out.field("perSecond", report.per_second(static_cast<double>(kind.operations)));
  out.count("requests", kind.requests);
  out.count("throttles", kind.throttles);
  out.field("requestUnits", kind.request_units);
  write_latency(out, kind.latency);
}

void write_totals(Writer& out, const Report& report) {
  out.begin("totals");
  out.count("operations", report.operations());
  out.count("errors", report.errors());
  out.field("perSecond", report.per_second(static_cast<double>(report.operations())));
  out.count("requests", report.requests());
  out.count("throttles", report.throttles());
  out.field("requestUnits", report.request_units());
  out.field("requestUnitsPerSecond", report.per_second(report.request_units()));
  out.field("clientCpuSeconds", report.client_cpu_seconds);
  out.field("clientCpuMicrosecondsPerOperation", report.client_cpu_us());
  if (report.server_cpu_seconds >= 0) {
    out.field("serverCpuSeconds", report.server_cpu_seconds);
    out.field("serverCpuMicrosecondsPerOperation", report.server_cpu_us());
  }
  out.end();
}

void write_partition(Writer& out, const PartitionReport& partition) {
  out.field("range", partition.range);
  out.count("requests", partition.requests);
  out.count("throttles", partition.throttles);
  out.field("requestUnits", partition.request_units);
}

void write_interval(Writer& out, const IntervalReport& interval) {
  out.field("at", interval.at_seconds);
  out.field("seconds", interval.seconds);
  out.count("operations", interval.operations);
  out.count("errors", interval.errors);
  out.count("throttles", interval.throttles);
  out.field("requestUnits", interval.request_units);
  out.field("p50", interval.p50_us);
  out.field("p99", interval.p99_us);
}

double number(const Value& object, std::string_view name, double otherwise = 0) {
  const Value found = object.find(name);
  return found.is_number() ? found.number() : otherwise;
}

uint64_t count(const Value& object, std::string_view name) {
  constexpr double kCountMax = 1e18;
  return static_cast<uint64_t>(std::clamp(number(object, name), 0.0, kCountMax));
}

std::string text(const Value& value) { return value.is_string() ? std::string(value.string()) : std::string(); }

OperationReport read_kind(const Value& value) {
  OperationReport kind{.name = text(value.find("name")),
                       .operations = count(value, "operations"),
                       .errors = count(value, "errors"),
                       .requests = count(value, "requests"),
                       .throttles = count(value, "throttles"),
                       .request_units = number(value, "requestUnits"),
                       .latency = {}};
  const Value latency = value.find("latencyMicroseconds");
  kind.latency.mean_us = number(latency, "mean");
  kind.latency.min_us = number(latency, "min");
  for (size_t i = 0; i < kPercentiles.size(); ++i) {
    kind.latency.percentiles_us[i] = number(latency, kPercentiles[i] == 100 ? "max" : fmt::format("p{}", kPercentiles[i]));
  }
  return kind;
}

PartitionReport read_partition(const Value& value) {
  return {.range = text(value.find("range")),
          .requests = count(value, "requests"),
          .throttles = count(value, "throttles"),
          .request_units = number(value, "requestUnits")};
}

IntervalReport read_interval(const Value& value) {
  return {.at_seconds = number(value, "at"),
          .seconds = number(value, "seconds"),
          .operations = count(value, "operations"),
          .errors = count(value, "errors"),
          .throttles = count(value, "throttles"),
          .request_units = number(value, "requestUnits"),
          .p50_us = number(value, "p50"),
          .p99_us = number(value, "p99")};
}

template <typename T>
std::vector<T> read_list(const Value& list, T (*read)(const Value&)) {
  std::vector<T> items;
  for (size_t i = 0; list.is_array() && i < list.size(); ++i) items.push_back(read(list.element(i)));
  return items;
}

}  // namespace

std::string report_json(const Report& report) {
  Writer out;
  out.begin();
  out.field("tool", kTool);
  out.field("version", report.version);
  out.field("startedAt", report.started_at);
  out.begin("settings");
  for (const auto& [name, value] : report.settings) out.field(name, value);
  out.end();
  out.field("seconds", report.seconds);
  out.stored().key("interrupted");
  out.stored().boolean(report.is_interrupted);
  out.count("missed", report.missed);
  write_totals(out, report);
  out.list("operations", report.kinds, [&](const OperationReport& kind) { write_kind(out, report, kind); });
  out.begin("statuses");
  for (const auto& [status, times] : report.statuses) out.count(status, times);
  out.end();
  out.field("firstError", report.first_error);
  out.list("partitions", report.partitions, [&](const PartitionReport& partition) { write_partition(out, partition); });
  out.list("timeline", report.timeline, [&](const IntervalReport& interval) { write_interval(out, interval); });
  out.end();
  return to_json(out.stored().view());
}

Result<Report> parse_report(std::string_view json) {
  const auto refuse = [](std::string_view why) {
    return fail(ErrorCode::kInvalidInput, fmt::format("this is no report of partita bench: {}", why));
  };
  if (json.size() > kReportBytesMax) return refuse("it is too large");
  const Result<std::string> stored = stored_from_json(json);
  if (!stored) return refuse(stored.error().message);
  const Value root = Value::view(*stored);
  if (text(root.find("tool")) != kTool) return refuse("its \"tool\" is another one");
  Report report;
  report.version = text(root.find("version"));
  report.started_at = text(root.find("startedAt"));
  const Value settings = root.find("settings");
  for (size_t i = 0; settings.is_object() && i < settings.size(); ++i) {
    report.settings.emplace_back(settings.member(i).key, text(settings.member(i).value));
  }
  report.seconds = number(root, "seconds");
  const Value interrupted = root.find("interrupted");
  report.is_interrupted = interrupted.is_bool() && interrupted.boolean();
  report.missed = count(root, "missed");
  report.kinds = read_list(root.find("operations"), read_kind);
  const Value statuses = root.find("statuses");
  for (size_t i = 0; statuses.is_object() && i < statuses.size(); ++i) {
    const std::string_view status = statuses.member(i).key;
    report.statuses.emplace(status, count(statuses, status));
  }
  report.first_error = text(root.find("firstError"));
  report.partitions = read_list(root.find("partitions"), read_partition);
  report.timeline = read_list(root.find("timeline"), read_interval);
  const Value totals = root.find("totals");
  report.client_cpu_seconds = number(totals, "clientCpuSeconds");
  report.server_cpu_seconds = number(totals, "serverCpuSeconds", -1);
  return report;
}

}  // namespace partita::tools::bench
