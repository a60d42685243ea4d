#pragma once

#include "base/result.h"

#include <string>
#include <string_view>

namespace partita::client {

// Endpoint: where a server is.
struct Endpoint {
  bool is_https = false;
  std::string host = {};  // a name or an address, an IPv6 one without its brackets
  std::string port = {};

  // "https://host:port/"; the path may be missing or a slash. Without a port: 8081 on loopback, else 443 or 80. kInvalidInput.
  static Result<Endpoint> parse(std::string_view text);

  bool is_loopback() const;
  // What the Host header says.
  std::string authority() const;
  std::string text() const;

  bool operator==(const Endpoint&) const = default;
};

}  // namespace partita::client
