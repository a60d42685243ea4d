#include "tools/bench/report/compare.h"

#include "document/json/json.h"
#include "document/stored/stored_writer.h"
#include "tools/bench/report/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

namespace partita::tools::bench {
namespace {

using Verdict = Difference::Verdict;

// How many standard errors two means must differ by, and by how much of their size: chance does the rest once in a few hundred
// runs.
constexpr double kErrorsMin = 3;
constexpr double kChangeMin = 0.02;
constexpr size_t kSamplesMin = 4;

struct Sample {
  double mean = 0;
  double squared_error = 0;  // of the mean
  bool is_enough = false;
};

Sample sample_of(const Report& report, const std::function<double(const IntervalReport&)>& value) {
  std::vector<double> values;
  for (const IntervalReport& interval : report.timeline) {
    if (interval.seconds > 0 && interval.operations > 0) values.push_back(value(interval));
  }
  Sample sample{.is_enough = values.size() >= kSamplesMin};
  if (!sample.is_enough) return sample;
  const auto count = static_cast<double>(values.size());
  for (const double each : values) sample.mean += each / count;
  double squares = 0;
  for (const double each : values) squares += (each - sample.mean) * (each - sample.mean);
  sample.squared_error = squares / (count - 1) / count;
  return sample;
}

Verdict judge(const Sample& first, const Sample& second, bool is_more_better) {
  if (!first.is_enough || !second.is_enough || first.mean == 0) return Verdict::kUnknown;
  const double difference = second.mean - first.mean;
  const double error = std::sqrt(first.squared_error + second.squared_error);
  if (std::abs(difference) < kErrorsMin * error || std::abs(difference) < kChangeMin * first.mean) return Verdict::kNoise;
  return (difference > 0) == is_more_better ? Verdict::kBetter : Verdict::kWorse;
}

// Costs of whole runs vary little, but nothing tells by how much.
Difference plain(std::string name, double first, double second) {
  return {.name = std::move(name), .first = first, .second = second};
}

double per_operation(const Report& report) {
  return report.request_units() / static_cast<double>(std::max<uint64_t>(report.operations() + report.errors(), 1));
}

double per_second(const IntervalReport& interval, double count) { return count / interval.seconds; }

const OperationReport* find(const Report& report, std::string_view name) {
  const auto found = std::ranges::find(report.kinds, name, &OperationReport::name);
  return found == report.kinds.end() ? nullptr : &*found;
}

void add_series(std::vector<Difference>& out, const Report& first, const Report& second) {
  const auto add = [&](std::string name, const std::function<double(const IntervalReport&)>& value, bool is_latency) {
    const Sample one = sample_of(first, value);
    const Sample other = sample_of(second, value);
    out.push_back({.name = std::move(name),
                   .first = one.mean,
                   .second = other.mean,
                   .is_latency = is_latency,
                   .verdict = judge(one, other, !is_latency)});
  };
  add("op/s", [](const IntervalReport& part) { return per_second(part, static_cast<double>(part.operations)); }, false);
  out.back().first = first.per_second(static_cast<double>(first.operations()));
  out.back().second = second.per_second(static_cast<double>(second.operations()));
  add("p50 of each second", [](const IntervalReport& part) { return part.p50_us; }, true);
  add("p99 of each second", [](const IntervalReport& part) { return part.p99_us; }, true);
  if (out.back().first == 0 && out.back().second == 0) out.resize(out.size() - 2);
}

void add_kinds(std::vector<Difference>& out, const Report& first, const Report& second) {
  for (const OperationReport& kind : first.kinds) {
    const OperationReport* other = find(second, kind.name);
    if (other == nullptr) continue;
    for (const double percent : {50.0, 99.0, 99.9}) {
      out.push_back({.name = fmt::format("{} p{}", kind.name, percent),
                     .first = kind.latency.at(percent),
                     .second = other->latency.at(percent),
                     .is_latency = true});
    }
  }
}

std::string value_text(const Difference& difference, double value) {
  if (value < 0) return "?";
  return difference.is_latency ? latency_text(value) : number_text(value);
}

std::string_view verdict_text(Verdict verdict) {
  switch (verdict) {
    case Verdict::kNoise: return "within noise";
    case Verdict::kBetter: return "BETTER";
    case Verdict::kWorse: return "WORSE";
    case Verdict::kUnknown: return "";
  }
  return {};
}

std::string value_of(const Report& report, std::string_view name) {
  const auto found = std::ranges::find(report.settings, name, &std::pair<std::string, std::string>::first);
  return found == report.settings.end() ? "-" : found->second;
}

std::vector<std::string> different_settings(const Report& first, const Report& second) {
  std::vector<std::string> names;
  for (const Report* report : {&first, &second}) {
    for (const auto& [name, value] : report->settings) {
      if (value_of(first, name) != value_of(second, name) && std::ranges::find(names, name) == names.end()) names.push_back(name);
    }
  }
  return names;
}

std::string settings_text(const Report& first, const Report& second) {
  std::string text;
  for (const std::string& name : different_settings(first, second)) {
    text += fmt::format("  {}: {} → {}\n", name, value_of(first, name), value_of(second, name));
  }
  return text.empty() ? "Both runs had the same settings.\n" : "The runs had different settings:\n" + text;
}

}  // namespace

std::vector<Difference> compare(const Report& first, const Report& second) {
  std::vector<Difference> out;
  add_series(out, first, second);
  add_kinds(out, first, second);
  out.push_back(plain("RU per operation", per_operation(first), per_operation(second)));
  out.push_back(plain("throttled", static_cast<double>(first.throttles()), static_cast<double>(second.throttles())));
  out.push_back(plain("errors", static_cast<double>(first.errors()), static_cast<double>(second.errors())));
  out.push_back(plain("client CPU µs/op", first.client_cpu_us(), second.client_cpu_us()));
  if (first.server_cpu_us() >= 0 || second.server_cpu_us() >= 0) {
    out.push_back(plain("server CPU µs/op", first.server_cpu_us(), second.server_cpu_us()));
  }
  return out;
}

std::string comparison_text(const Report& first, const Report& second) {
  std::string text = settings_text(first, second);
  text += fmt::format("\n{}{}{}{}\n", left("", 26), right("A", 12), right("B", 12), right("change", 10));
  for (const Difference& difference : compare(first, second)) {
    const bool has_change = difference.first > 0 && difference.second >= 0;
    const std::string change = has_change ? fmt::format("{:+.1f} %", 100 * difference.change()) : "";
    std::string line = left(difference.name, 26) + right(value_text(difference, difference.first), 12) +
                       right(value_text(difference, difference.second), 12) + right(change, 10) + "  " +
                       std::string(verdict_text(difference.verdict));
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text + "\nBETTER and WORSE: the runs differ by more than the seconds of each do.\n";
}

std::string comparison_json(const Report& first, const Report& second) {
  StoredWriter out;
  out.begin_object();
  out.key("settings");
  out.begin_array();
  for (const std::string& name : different_settings(first, second)) {
    out.begin_object();
    for (const auto& [key, value] :
         {std::pair<std::string_view, std::string>("name", name), {"a", value_of(first, name)}, {"b", value_of(second, name)}}) {
      out.key(key);
      out.string(value);
    }
    out.end_object();
  }
  out.end_array();
  out.key("differences");
  out.begin_array();
  for (const Difference& difference : compare(first, second)) {
    out.begin_object();
    out.key("name");
    out.string(difference.name);
    out.key("a");
    out.number(difference.first);
    out.key("b");
    out.number(difference.second);
    out.key("verdict");
    out.string(verdict_text(difference.verdict));
    out.end_object();
  }
  out.end_array();
  out.end_object();
  return to_json(out.view()) + "\n";
}

}  // namespace partita::tools::bench
