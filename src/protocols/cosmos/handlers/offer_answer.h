#pragma once

#include "protocols/cosmos/exchange.h"

namespace partita::cosmos {

// Answers with the offer, or with the error.
void answer_offer(Exchange& exchange, const Result<std::shared_ptr<const Offer>>& offer);

}  // namespace partita::cosmos
