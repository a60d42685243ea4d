#pragma once

#include "cluster/catalog/catalog.h"
#include "protocols/cosmos/exchange.h"

namespace partita::cosmos {

// Of the header that gives properties of a document instead of its partition key.
inline constexpr size_t kKeyOfBytesMax = 4 * 1024;

// Reads header::kKeyOf, if the request has it, and has the exchange take the key that the server computes from these properties
// for the request's own: so authorization and handlers know one key only. What is wrong is kept in the exchange and told to those
// who may ask. Only point operations on one document may have the header, in containers with a synthetic key, and no other key
// beside it.
void compute_key(Exchange& exchange, const Catalog& catalog);

}  // namespace partita::cosmos
