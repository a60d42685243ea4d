#pragma once

#include "protocols/cosmos/exchange.h"

namespace partita::cosmos {

// Answers with the container, or with the error.
void answer_container(Exchange& exchange, const Result<std::shared_ptr<const Container>>& container, int status);

}  // namespace partita::cosmos
