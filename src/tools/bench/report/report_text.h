#pragma once

#include "tools/bench/report/report.h"

#include <string>

namespace partita::tools::bench {

// What a run gave, for a terminal of 80 columns or more.
std::string report_text(const Report& report);
// The same while it runs, with a graph of the last seconds. `phase` says what is going on.
std::string live_text(const Report& report, std::string_view phase);
// One line about the latest part of the time, for logs and pipes.
std::string progress_line(const IntervalReport& interval);

}  // namespace partita::tools::bench
