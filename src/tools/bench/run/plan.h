#pragma once

#include "base/result.h"
#include "tools/bench/bench_options.h"
#include "tools/bench/report/report.h"
#include "tools/bench/run/operations.h"

#include <string>

namespace partita::tools::bench {

// What the options ask for, ready to run. kInvalidInput when they cannot be had together. `run_name`: something that no run
// before had, for the ids of documents in a container that was used before.
Result<Plan> make_plan(const BenchOptions& options, std::string_view run_name);

// Of the same container, the workload that loads the documents of the plan.
Plan loading_plan(const Plan& plan);

// For reports: what was asked for, in words.
std::vector<std::pair<std::string, std::string>> describe_settings(const BenchOptions& options, const Plan& plan);

}  // namespace partita::tools::bench
