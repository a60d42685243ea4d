#pragma once

#include "tools/transfer/progress/ledger.h"

namespace partita::tools::transfer {

// A line of the file with errors: {"file":…,"line":…,"id":…,"status":…,"reason":…}.
std::string refusal_text(const Refusal& refusal);

}  // namespace partita::tools::transfer
