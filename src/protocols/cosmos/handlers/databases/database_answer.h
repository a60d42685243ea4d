#pragma once

#include "protocols/cosmos/exchange.h"

namespace partita::cosmos {

// Answers with the database, or with the error.
void answer_database(Exchange& exchange, const Result<std::shared_ptr<const Database>>& database, int status);

}  // namespace partita::cosmos
