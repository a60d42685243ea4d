#pragma once

#include "document/stored/stored_writer.h"
#include "tools/simulate/simulated_container.h"

#include <span>
#include <string>

namespace partita::tools {

// Runs enough containers for options.partitions on this many threads. The outcome does not depend on their number.
SimulationTotals simulate(const SimulationOptions& options, size_t threads);

// The outcomes side by side, in 80 columns, and what to do about them.
std::string simulation_text(std::span<const SimulationTotals> outcomes);
void write_simulation(StoredWriter& out, std::span<const SimulationTotals> outcomes);

}  // namespace partita::tools
