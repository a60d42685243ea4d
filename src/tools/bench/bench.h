#pragma once

#include "base/result.h"
#include "tools/bench/bench_options.h"
#include "tools/bench/report/report.h"

namespace partita::tools::bench {

// Prepares the container, loads the documents, warms up, measures, and shows what happens meanwhile. REQUIRES: SIGINT and SIGTERM
// are blocked in all threads; they end it early.
//
// kInvalidInput before anything was sent: the options cannot be had. An answer that is no success is part of the report, but
// loading stops at the first one.
Result<Report> run_bench(const BenchOptions& options);

}  // namespace partita::tools::bench
