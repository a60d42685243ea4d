#pragma once

#include "tools/bench/report/report.h"

#include <string>

namespace partita::tools::bench {

// A page with everything in it, so that it can be mailed or kept: no script, no font, no picture from elsewhere.
std::string report_html(const Report& report);

}  // namespace partita::tools::bench
