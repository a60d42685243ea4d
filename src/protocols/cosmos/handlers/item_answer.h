#pragma once

#include "gateway/items.h"
#include "protocols/cosmos/exchange.h"

namespace partita::cosmos {

// The document that the path names, with the partition key of the request.
Result<ItemName> item_name(const Exchange& exchange, const Container& container);

// Answers with the document as it was read or written, or with the error. A client that prefers a minimal answer to a write gets
// none of it back.
void answer_item(Exchange& exchange, Result<ItemOutcome> outcome, int status);

// Headers that every answer about a document carries.
void set_item_headers(Exchange& exchange, const ItemOutcome& outcome);

bool prefers_minimal(const Exchange& exchange);

}  // namespace partita::cosmos
