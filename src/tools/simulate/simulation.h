#pragma once

#include "tools/simulate/simulated_container.h"

#include <string>

namespace partita::tools {

// Runs enough containers for options.partitions on this many threads. The outcome does not depend on their number.
SimulationTotals simulate(const SimulationOptions& options, size_t threads);

// The head of a table, and a line for the outcome of one simulation.
std::string simulation_head();
std::string simulation_line(const SimulationTotals& totals);

}  // namespace partita::tools
