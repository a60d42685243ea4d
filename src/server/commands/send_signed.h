#pragma once

#include "auth/master_key.h"
#include "base/result.h"
#include "net/http/http_client.h"
#include "server/options/options.h"

namespace partita::server {

// Sends a request to a running server, signed with its account key as a request about this resource.
Result<net::HttpAnswer> send_signed(const EndpointOptions& server, const auth::SignedResource& resource,
                                    net::ClientRequest request);

}  // namespace partita::server
