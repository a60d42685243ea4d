#pragma once

#include "protocols/cosmos/operation.h"
#include "protocols/cosmos/service.h"

#include <span>

namespace partita::cosmos {

// Everything that is served.
std::span<const Operation> operations();

// What the request means: by its method and path, and by those headers that belong to what these address. Reads no body.
Operation operation_of(const net::HttpRequest& request, const ResourcePath& path);

// Hands the exchange to the handler of its operation.
// REQUIRES: the operation was authorized.
void route(const Service& service, ExchangePtr exchange);

}  // namespace partita::cosmos
