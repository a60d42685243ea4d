#include "tools/simulate/simulation.h"

#include <algorithm>
#include <atomic>
#include <thread>

namespace partita::tools {
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

}  // namespace partita::tools
