#pragma once

#include "net/http_message.h"

namespace partita::cosmos {

// Browsers may use the account from any origin: who is allowed in is decided by the key, not by the page.
void add_cors_headers(const net::HttpRequest& request, net::HttpResponse& response);
void answer_preflight(const net::HttpRequest& request, net::HttpResponse& response);

}  // namespace partita::cosmos
