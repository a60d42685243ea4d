#pragma once

#include "protocols/cosmos/service.h"

namespace partita::cosmos {

// The offer that a request names by its resource id. kNotFound when there is none.
Result<std::shared_ptr<const Offer>> find_offer(const Service& service, std::string_view name);

// Answers with the offer, or with the error.
void answer_offer(const Service& service, Exchange& exchange, const Result<std::shared_ptr<const Offer>>& offer);

}  // namespace partita::cosmos
