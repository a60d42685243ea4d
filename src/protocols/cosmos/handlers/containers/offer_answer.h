#pragma once

#include "protocols/cosmos/service.h"

namespace partita::cosmos {

// Answers with the offer, or with the error.
void answer_offer(const Service& service, Exchange& exchange, const Result<std::shared_ptr<const Offer>>& offer);

}  // namespace partita::cosmos
