#pragma once

#include "net/http/http_message.h"
#include "protocols/cosmos/cors.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace partita::server {

// RequestGuard: turns requests away because of how they came, before anything is done with them: over plain http where only https
// is served, under a name that is not this server's, or sent by a web page that is not named. Immutable and thread-safe.
//
// Browsers let any page send requests to a server on the same machine, and a page whose own name suddenly leads there (DNS
// rebinding) read the answers, too. They say in Origin, Sec-Fetch-Site and Host who asks; nobody else has a reason to lie there.
class RequestGuard {
 public:
  struct Rules {
    bool is_https_only = false;
    bool checks_host = true;
    std::vector<std::string> hosts = {};  // besides localhost and loopback addresses; "*.example.org" is every name one below it
    std::string public_origin = {};       // this server's, as browsers see it behind a proxy; empty: as they come
    cosmos::OriginPolicy origins = cosmos::OriginPolicy();
  };
  explicit RequestGuard(Rules rules) : rules_(std::move(rules)) {}

  // Why the request is turned away; nothing when it may go on.
  std::optional<std::string> refusal(const net::HttpRequest& request) const;

 private:
  struct Came;

  bool knows_host(std::string_view host) const;
  bool is_own_origin(const net::HttpRequest& request, const Came& came) const;
  std::optional<std::string> refuse_page(const net::HttpRequest& request, const Came& came) const;

  Rules rules_;
};

// Without its port, in the form of a Host header: "[::1]:8081" is "[::1]".
std::string_view host_without_port(std::string_view host);

}  // namespace partita::server
