#include "base/encodings.h"
#include "tools/plan/plan_split.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <functional>

namespace partita::tools {
namespace {

constexpr size_t kRangesShown = 64;
// As many candidates as fit beside each other into 80 columns.
constexpr size_t kColumnsAtOnce = 4;

double percent(double part, double whole) { return whole == 0 ? 0 : 100 * part / whole; }

std::string size_text(double bytes) {
  constexpr std::array<std::string_view, 5> kUnits = {"B", "KB", "MB", "GB", "TB"};
  size_t unit = 0;
  for (; bytes >= 1024 && unit + 1 < kUnits.size(); ++unit) bytes /= 1024;
  return fmt::format("{:.{}f} {}", bytes, unit == 0 ? 0 : 1, kUnits[unit]);
}

std::string key_name(const KeyPlan& plan) { return plan.paths.empty() ? "none" : fmt::format("{}", fmt::join(plan.paths, ",")); }

std::string table(const std::vector<PlannedPartition>& parts, int64_t throughput) {
  std::string out = fmt::format("{:>4}  {:<12} {:>10} {:>10} {:>9} {:>6} {:>7} {:>8} {:>5}\n", "", "from", "key values",
                                "documents", "size", "share", "largest", "RU/s", "used");
  double all = 0;
  for (const PlannedPartition& part : parts) all += static_cast<double>(part.bytes);
  const double budget = partition_budget(parts, throughput);
  for (size_t i = 0; i < std::min(parts.size(), kRangesShown); ++i) {
    const PlannedPartition& part = parts[i];
    const auto bytes = static_cast<double>(part.bytes);
    out += fmt::format("{:>4}  {:<12} {:>10} {:>10} {:>9} {:>5.1f}% {:>6.1f}% {:>8.1f} {:>4.0f}%\n", i,
                       part.range.min.empty() ? "-" : hex_upper(part.range.min.substr(0, 6)), part.key_values, part.documents,
                       size_text(bytes), percent(bytes, all), percent(static_cast<double>(part.bytes_of_largest), bytes),
                       part.units_per_second, percent(part.units_per_second, budget));
  }
  if (parts.size() > kRangesShown) out += fmt::format("      and {} more\n", parts.size() - kRangesShown);
  return out;
}

std::string list(const std::vector<PlannedKeyValue>& values) {
  constexpr size_t kKeyCharactersMax = 36;
  std::string out;
  for (const PlannedKeyValue& value : values) {
    const bool is_long = value.key_json.size() > kKeyCharactersMax;
    out +=
        fmt::format("{:>10} {:>10} documents {:>8.1f} RU/s  {}{}\n", size_text(static_cast<double>(value.bytes)), value.documents,
                    value.units_per_second, value.key_json.substr(0, kKeyCharactersMax), is_long ? "..." : "");
  }
  return out;
}

std::string key_values(const KeyPlan& plan) {
  std::string out =
      fmt::format("{} key values{}\n{}", plan.key_values, plan.largest.empty() ? "" : "; the largest:", list(plan.largest));
  if (plan.documents_without > 0) {
    out += fmt::format("{} of {} documents have no value there; together they are one key value.\n", plan.documents_without,
                       plan.documents);
  }
  if (plan.busiest.empty()) return out + "Nothing was asked for in the last hour.\n";
  return out + fmt::format("the busiest:\n{}", list(plan.busiest));
}

size_t overloaded(const std::vector<PlannedPartition>& parts, int64_t throughput) {
  const double budget = partition_budget(parts, throughput);
  return static_cast<size_t>(
      std::ranges::count_if(parts, [&](const PlannedPartition& part) { return part.units_per_second > budget; }));
}

std::string planned(const KeyPlan& plan, int64_t throughput) {
  const std::string steps = plan.steps.empty() ? "nothing to split or merge\n" : fmt::format("{}\n", fmt::join(plan.steps, "\n"));
  return fmt::format("Planned, at {} RU/s:\n{}{}", throughput, steps, table(plan.planned, throughput));
}

double fullest_share(const KeyPlan& plan) {
  uint64_t most = 0;
  for (const PlannedPartition& part : plan.planned) most = std::max(most, part.bytes);
  return percent(static_cast<double>(most), static_cast<double>(plan.bytes));
}

double largest_share(const KeyPlan& plan) {
  return plan.largest.empty() ? 0 : percent(static_cast<double>(plan.largest.front().bytes), static_cast<double>(plan.bytes));
}

double busiest_use(const KeyPlan& plan, int64_t throughput) {
  double most = 0;
  for (const PlannedPartition& part : plan.planned) most = std::max(most, part.units_per_second);
  return percent(most, partition_budget(plan.planned, throughput));
}

std::string comparison(const Plan& plan) {
  std::vector<const KeyPlan*> keys = {&plan.present};
  for (const KeyPlan& candidate : plan.candidates) keys.push_back(&candidate);
  const auto name = [&](size_t i) { return i == 0 ? std::string("now") : fmt::format("{}", i); };
  std::string out = "Side by side:\n";
  for (size_t i = 0; i < keys.size(); ++i) out += fmt::format("  {:<4} {}\n", name(i), key_name(*keys[i]));
  const auto row = [&](std::string_view title, size_t first, const std::function<std::string(const KeyPlan&)>& cell) {
    out += fmt::format("{:<28}", title);
    for (size_t i = first; i < std::min(keys.size(), first + kColumnsAtOnce); ++i) out += fmt::format("{:>13}", cell(*keys[i]));
    out += '\n';
  };
  for (size_t first = 0; first < keys.size(); first += kColumnsAtOnce) {
    size_t shown = first;
    row("", first, [&](const KeyPlan&) { return name(shown++); });
    row("partitions", first, [](const KeyPlan& key) { return fmt::format("{}", key.planned.size()); });
    row("key values", first, [](const KeyPlan& key) { return fmt::format("{}", key.key_values); });
    row("documents without a value", first, [](const KeyPlan& key) { return fmt::format("{}", key.documents_without); });
    row("largest key value, of all", first, [](const KeyPlan& key) { return fmt::format("{:.1f}%", largest_share(key)); });
    row("fullest partition, of all", first, [](const KeyPlan& key) { return fmt::format("{:.1f}%", fullest_share(key)); });
    row("busiest partition uses", first,
        [&](const KeyPlan& key) { return fmt::format("{:.0f}%", busiest_use(key, plan.throughput)); });
    row("partitions over their budget", first,
        [&](const KeyPlan& key) { return fmt::format("{}", overloaded(key.planned, plan.throughput)); });
  }
  return out;
}

// Whether it is worse than another in what hurts most: requests refused, then documents in a heap, then unevenness.
bool is_better(const KeyPlan& a, const KeyPlan& b, int64_t throughput) {
  const auto rank = [&](const KeyPlan& key) {
    const bool lacks = key.documents_without * 2 > key.documents;
    return std::tuple(lacks, overloaded(key.planned, throughput), busiest_use(key, throughput), largest_share(key));
  };
  return rank(a) < rank(b);
}

std::string advice(const Plan& plan) {
  const KeyPlan* best = &plan.present;
  for (const KeyPlan& candidate : plan.candidates) {
    if (is_better(candidate, *best, plan.throughput)) best = &candidate;
  }
  const size_t over = overloaded(best->planned, plan.throughput);
  const std::string key = best == &plan.present ? "Keep the present partition key" : "Migrate to " + key_name(*best);
  std::string why;
  if (!plan.candidates.empty()) why = key + ": of these it spreads the load and the bytes best.\n";
  if (best != &plan.present && !plan.present.paths.empty()) {
    why += fmt::format("Queries that name only {} would then ask every partition: weigh that.\n", key_name(plan.present));
  }
  if (over > 0) {
    return why + fmt::format(
                     "In {} of {} partitions, what was used in the busiest minute is more than the budget:\n"
                     "requests would be refused there. Raise the throughput, or take a key with more values.\n",
                     over, best->planned.size());
  }
  if (!why.empty()) return why;
  const bool changes = !plan.present.steps.empty() && plan.present.planned.size() != plan.present.partitions.size();
  return changes ? "Nothing to do: the server makes these changes by itself.\n" : "Nothing to do.\n";
}

}  // namespace

std::string plan_text(const Plan& plan) {
  std::string out = fmt::format("Now, at {} RU/s:\n{}{}\n", plan.present_throughput,
                                table(plan.present.partitions, plan.present_throughput), key_values(plan.present));
  if (plan.candidates.empty()) out += planned(plan.present, plan.throughput) + "\n";
  for (const KeyPlan& candidate : plan.candidates) {
    out += fmt::format("With the partition key {}:\n{}{}\n{}\n", key_name(candidate),
                       table(candidate.partitions, plan.throughput), key_values(candidate), planned(candidate, plan.throughput));
  }
  if (!plan.candidates.empty()) out += comparison(plan) + "\n";
  return out + advice(plan);
}

}  // namespace partita::tools
