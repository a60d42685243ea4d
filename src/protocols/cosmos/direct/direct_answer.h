#pragma once

#include "net/http/http_message.h"
#include "protocols/cosmos/direct/direct_request.h"
#include "protocols/cosmos/service.h"

#include <string>
#include <string_view>

namespace partita::cosmos::direct {

// Appends the answer as a frame, up to its payload, which is returned; empty when it has none. What clients want to know of the
// partition and the answer does not say is looked up. `response` may be altered; the view is of its body.
std::string_view append_answer(std::string& out, const Service& service, const DirectRequest& request,
                               net::HttpResponse& response, double duration_ms);

// An answer in the words of errors.cc, to what no handler sees or has answered. Whether the client was authorized stays.
void fill_error(net::HttpResponse& response, const Error& error, std::string_view activity_id);

}  // namespace partita::cosmos::direct
