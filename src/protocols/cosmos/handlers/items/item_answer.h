#pragma once

#include "gateway/items/items.h"
#include "protocols/cosmos/exchange.h"
#include "protocols/cosmos/service.h"

namespace partita::cosmos {

// The document of the container that the text names; nothing when it is no such resource id.
std::optional<DocumentNumber> number_in_item_rid(std::string_view text, const Container& container);

// The document that the path names, or whose attachments it names, with the partition key of the request. kForbidden when it is
// beyond the limits of the request's token.
Result<ItemName> item_name(const Exchange& exchange, const Container& container);

// A token that is for one document cannot give it another id: kForbidden.
Status check_keeps_id(const Exchange& exchange, const Container& container, const ItemName& name);

// What a request asks of the stored version: If-Match, and on a connection's thread that it is not large.
ItemConditions conditions_of(const Exchange& exchange);
// Handles a request anew, on a worker: its document was left because of its size.
void begin_again(const Service& service, ExchangePtr exchange, const Container& container);

// Answers with the document as it was read or written, or with the error. A client that prefers a minimal answer to a write gets
// none of it back.
void answer_item(const Service& service, ExchangePtr exchange, Result<ItemOutcome> outcome, int status);

// An error that tells of documents as they are (404, 409, 412) belongs to the client's session, as they do.
void answer_item_error(const Service& service, Exchange& exchange, const Error& error);

// Headers that every answer about a document carries.
void set_item_headers(Exchange& exchange, const ItemOutcome& outcome);

bool prefers_minimal(const Exchange& exchange);

}  // namespace partita::cosmos
