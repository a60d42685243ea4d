#pragma once

#include "base/result.h"
#include "server/options/options.h"

#include <string>

namespace partita::server {

// Lets a running server run the first page of a query and say how it did that; for people, or as JSON if asked for.
Result<std::string> explain(const ExplainOptions& options);

}  // namespace partita::server
