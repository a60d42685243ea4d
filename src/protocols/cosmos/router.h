#pragma once

#include "protocols/cosmos/service.h"

namespace partita::cosmos {

// Hands the exchange to the handler of its resource and verb.
void route(const Service& service, ExchangePtr exchange);

}  // namespace partita::cosmos
