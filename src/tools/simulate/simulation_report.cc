#include "tools/simulate/simulation.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

namespace partita::tools {
namespace {

constexpr double kTerabyte = 1ULL << 40;
constexpr size_t kColumnsAtOnce = 5;
// What is worth doing something about.
constexpr double kThrottledMax = 0.01;
constexpr float kUnevenLoad = 2;

float quantile(std::vector<float> values, double share) {
  if (values.empty()) return 0;
  const auto at = values.begin() + static_cast<ptrdiff_t>(share * static_cast<double>(values.size() - 1));
  std::ranges::nth_element(values, at);
  return *at;
}

double throttled_share(const SimulationTotals& totals) {
  return totals.demanded_units == 0 ? 0 : 1 - totals.served_units / totals.demanded_units;
}

struct Row {
  std::string_view title;
  std::string_view name;  // in JSON
  std::function<double(const SimulationTotals&)> number;
  std::string_view format;
};

const std::vector<Row>& rows() {
  const auto count = [](auto member) {
    return [member](const SimulationTotals& totals) { return static_cast<double>(totals.*member); };
  };
  using Totals = SimulationTotals;
  static const std::vector<Row> kRows = {
      {"partitions", "partitionsBefore", count(&Totals::partitions_before), "{:.0f}"},
      {"partitions afterwards", "partitionsAfter", count(&Totals::partitions_after), "{:.0f}"},
      {"splits by size", "splitsBySize", count(&Totals::splits_by_bytes), "{:.0f}"},
      {"splits by RU/s", "splitsByThroughput", count(&Totals::splits_by_throughput), "{:.0f}"},
      {"splits by load", "splitsByLoad", count(&Totals::splits_by_load), "{:.0f}"},
      {"no cut", "splitsRefused", count(&Totals::refused_splits), "{:.0f}"},
      {"merges", "merges", count(&Totals::merges), "{:.0f}"},
      {"stored, TB", "storedTerabytes", [](const Totals& totals) { return totals.stored_bytes / kTerabyte; }, "{:.1f}"},
      {"moved, TB", "movedTerabytes", [](const Totals& totals) { return totals.moved_bytes / kTerabyte; }, "{:.1f}"},
      {"throttled, %", "throttledPercent", [](const Totals& totals) { return 100 * throttled_share(totals); }, "{:.2f}"},
      {"load 99%, of mean", "loadOfMean99", [](const Totals& totals) { return quantile(totals.load_ratios, 0.99); }, "{:.2f}"},
      {"load max, of mean", "loadOfMeanMax", [](const Totals& totals) { return quantile(totals.load_ratios, 1); }, "{:.2f}"},
      {"bytes max, of mean", "bytesOfMeanMax", [](const Totals& totals) { return quantile(totals.bytes_ratios, 1); }, "{:.2f}"},
      {"keys > 20GB", "oversizedKeyValues", count(&Totals::oversized_key_values), "{:.0f}"},
  };
  return kRows;
}

// What to do about the worst of the outcomes.
std::string advice(std::span<const SimulationTotals> outcomes) {
  const auto worst = std::ranges::max_element(outcomes, {}, throttled_share);
  uint64_t oversized = 0;
  for (const SimulationTotals& totals : outcomes) oversized += totals.oversized_key_values;
  if (oversized > 0) {
    return "Some key values become larger than a logical partition may be: take a partition key\n"
           "with more values, or make it hierarchical (/tenant,/user).\n";
  }
  if (throttled_share(*worst) <= kThrottledMax) return "Nothing to do: hardly anything is throttled.\n";
  if (quantile(worst->load_ratios, 1) < kUnevenLoad) {
    return "The load is even, but more than the budget at times: raise the throughput.\n";
  }
  return "Few key values get most of the load, and more throughput or partitions do not\n"
         "help them: take a partition key with more values, or one with a suffix.\n";
}

}  // namespace

std::string simulation_text(std::span<const SimulationTotals> outcomes) {
  std::string out;
  for (size_t first = 0; first < outcomes.size(); first += kColumnsAtOnce) {
    if (first > 0) out += '\n';
    const auto shown = outcomes.subspan(first, std::min(kColumnsAtOnce, outcomes.size() - first));
    for (const Row& row : rows()) {
      out += fmt::format("{:<22}", row.title);
      for (const SimulationTotals& totals : shown) {
        out += fmt::format("{:>11}", fmt::format(fmt::runtime(row.format), row.number(totals)));
      }
      out += '\n';
    }
  }
  return outcomes.empty() ? out : out + advice(outcomes);
}

void write_simulation(StoredWriter& out, std::span<const SimulationTotals> outcomes) {
  out.begin_array();
  for (const SimulationTotals& totals : outcomes) {
    out.begin_object();
    for (const Row& row : rows()) {
      out.key(row.name);
      out.number(row.number(totals));
    }
    out.end_object();
  }
  out.end_array();
}

}  // namespace partita::tools
