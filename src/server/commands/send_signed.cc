#include "server/commands/send_signed.h"

namespace partita::server {

client::Answer<client::Response> send_signed(const EndpointOptions& server, client::Request request,
                                             std::chrono::milliseconds patience) {
  TRY_ASSIGN(const client::Client client,
             client::Client::create({.endpoint = server.endpoint, .key = server.key, .request_timeout = patience}));
  return client.send(std::move(request));
}

}  // namespace partita::server
