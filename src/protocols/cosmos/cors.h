#pragma once

#include "net/http/http_message.h"

#include <string>
#include <string_view>
#include <vector>

namespace partita::cosmos {

// OriginPolicy: the web pages that may use the account from a browser. Immutable.
class OriginPolicy {
 public:
  static constexpr std::string_view kAll = "*";

  // Origins as browsers send them ("https://app.example.org"), or kAll. Without any, no page may.
  explicit OriginPolicy(std::vector<std::string> origins = {});

  bool names(std::string_view origin) const;

 private:
  std::vector<std::string> origins_;
  bool has_all_ = false;
};

// Lets the page read the answer. REQUIRES: the policy names its origin.
void add_cors_headers(std::string_view origin, net::HttpResponse& response);
// What a browser asks before it sends what a page wants to send.
void answer_preflight(const net::HttpRequest& request, net::HttpResponse& response);

}  // namespace partita::cosmos
