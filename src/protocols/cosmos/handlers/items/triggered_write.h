#pragma once

#include "protocols/cosmos/exchange.h"
#include "protocols/cosmos/service.h"

namespace partita::cosmos {

// A create, upsert, replace or deletion with the triggers that the request names. `operation` has no document yet.
void write_with_triggers(const Service& service, ExchangePtr exchange, const std::shared_ptr<const Container>& container,
                         ItemOperation operation);

// The same for a document that is there already.
void write_named_with_triggers(const Service& service, ExchangePtr exchange, const std::shared_ptr<const Container>& container,
                               const ItemName& name, ItemVerb verb);

}  // namespace partita::cosmos
