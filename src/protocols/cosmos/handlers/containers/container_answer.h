#pragma once

#include "protocols/cosmos/exchange.h"

namespace partita::cosmos {

// Answers with the container, or with the error. Only a read starts a session on the container.
void answer_container(Exchange& exchange, const Result<std::shared_ptr<const Container>>& container, int status);

}  // namespace partita::cosmos
