#include "server/commands/send_signed.h"

namespace partita::server {

client::Options client_options(const EndpointOptions& server, std::chrono::milliseconds patience) {
  return {
      .endpoint = server.endpoint, .key = server.key, .tls = {.is_insecure = server.is_insecure}, .request_timeout = patience};
}

client::Answer<client::Response> send_signed(const EndpointOptions& server, client::Request request,
                                             std::chrono::milliseconds patience) {
  TRY_ASSIGN(const client::Client client, client::Client::create(client_options(server, patience)));
  return client.send(std::move(request));
}

}  // namespace partita::server
