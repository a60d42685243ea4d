#include "tools/simulate/simulation.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <thread>

namespace partita::tools {
namespace {

float quantile(std::vector<float> values, double share) {
  if (values.empty()) return 0;
  const auto at = values.begin() + static_cast<ptrdiff_t>(share * static_cast<double>(values.size() - 1));
  std::ranges::nth_element(values, at);
  return *at;
}

}  // namespace

SimulationTotals simulate(const SimulationOptions& options, size_t threads) {
  const size_t containers = (options.partitions + SimulatedContainer::kPartitionsMax - 1) / SimulatedContainer::kPartitionsMax;
  std::vector<SimulationTotals> outcomes(containers);
  std::atomic<size_t> next = 0;
  const auto work = [&] {
    for (size_t i = next++; i < containers; i = next++) {
      const size_t partitions =
          std::min(SimulatedContainer::kPartitionsMax, options.partitions - i * SimulatedContainer::kPartitionsMax);
      outcomes[i] = SimulatedContainer(options, partitions, i).run();
    }
  };
  std::vector<std::thread> others;
  for (size_t t = 1; t < threads; ++t) others.emplace_back(work);
  work();
  for (std::thread& other : others) other.join();
  SimulationTotals totals;
  for (const SimulationTotals& outcome : outcomes) totals += outcome;
  return totals;
}

std::string simulation_head() {
  return fmt::format("{:>10} {:>10} {:>8} {:>9} {:>10} {:>10} {:>8} {:>8} {:>9} {:>9} {:>9} {:>9} {:>10} {:>10}\n", "partitions",
                     "after", "by size", "by RU/s", "by load", "no cut", "merges", "stored", "moved", "throttled", "load 99%",
                     "load max", "bytes max", "keys>20GB");
}

std::string simulation_line(const SimulationTotals& totals) {
  constexpr double kTerabyte = 1ULL << 40;
  const double throttled = totals.demanded_units == 0 ? 0 : 1 - totals.served_units / totals.demanded_units;
  return fmt::format(
      "{:>10} {:>10} {:>8} {:>9} {:>10} {:>10} {:>8} {:>7.1f}T {:>8.1f}T {:>8.2f}% {:>8.2f}x {:>8.2f}x {:>9.2f}x {:>10}\n",
      totals.partitions_before, totals.partitions_after, totals.splits_by_bytes, totals.splits_by_throughput,
      totals.splits_by_load, totals.refused_splits, totals.merges, totals.stored_bytes / kTerabyte,
      totals.moved_bytes / kTerabyte, 100 * throttled, quantile(totals.load_ratios, 0.99), quantile(totals.load_ratios, 1),
      quantile(totals.bytes_ratios, 1), totals.oversized_key_values);
}

}  // namespace partita::tools
