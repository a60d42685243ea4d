#pragma once

#include "base/result.h"
#include "cluster/offer_use.h"
#include "document/stored/stored_writer.h"
#include "net/http/http_message.h"

#include <optional>

namespace partita::cosmos {

// The throughput that the headers of a create request ask for; nothing when they do not.
Result<std::optional<Throughput>> throughput_from_headers(const net::HttpRequest& request);

// Offers as clients read and replace them.
void write_offer(StoredWriter& out, const Offer& offer, const OfferUse& use);
// What the body of a replace asks for, relative to the offer as it is; headers may ask for a change between manual and autoscale.
Result<Throughput> throughput_from_offer(const Value& body, const Offer& current, const net::HttpRequest& request);

}  // namespace partita::cosmos
