#pragma once

#include "server/options/options.h"

namespace partita::server {

// Each returns the process's exit code. REQUIRES: SIGTERM and SIGINT are blocked in all threads; run_serve waits for them.
int run_serve(const ServeOptions& options);
int run_check(const CheckOptions& options);
int run_reshape(Command command, const ReshapeOptions& options);
int run_top(const TopOptions& options);
int run_explain(const ExplainOptions& options);
int run_simulate(const SimulateOptions& options);
int run_plan_split(const PlanSplitOptions& options);
int run_advise(const AdviseOptions& options);
int run_bench(const BenchOptions& options);
int run_query(const ShellCommandOptions& options);
int run_shell(const ShellCommandOptions& options);

}  // namespace partita::server
