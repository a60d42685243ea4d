#pragma once

#include "tools/advise/score/advice.h"

#include <string>

namespace partita::tools::advise {

// The advice as a table of at most 80 columns, with the reasons below it.
std::string render_table(const Advice& advice);

// {"candidates":[{"paths":["/customer"],...},...],...}, best first, and a line end.
std::string render_json(const Advice& advice);

// One page that needs nothing else: charts are drawn in it.
std::string render_html(const Advice& advice, const std::string& title);

}  // namespace partita::tools::advise
