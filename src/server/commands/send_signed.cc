#include "server/commands/send_signed.h"

#include "base/clock.h"
#include "protocols/cosmos/codec/header_names.h"
#include "protocols/cosmos/codec/http_date.h"

namespace partita::server {

Result<net::HttpAnswer> send_signed(const EndpointOptions& server, const auth::SignedResource& resource,
                                    net::ClientRequest request) {
  const SystemClock clock;
  std::string date;
  cosmos::append_http_date(date, clock.unix_seconds());
  TRY_ASSIGN(const std::string signature,
             auth::sign(server.key, {.verb = request.method, .client_date = date, .date = {}}, resource));
  request.headers.emplace_back("authorization", auth::master_token(signature));
  request.headers.emplace_back(cosmos::header::kClientDate, date);
  return net::send_request(server.endpoint, request);
}

}  // namespace partita::server
