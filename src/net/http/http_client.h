#pragma once

#include "base/result.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace partita::net {

struct HttpAnswer {
  int status = 0;
  std::string body;
};

inline constexpr int kPatienceSeconds = 30;

struct ClientRequest {
  std::string_view method = "GET";
  std::string_view path;  // with its query, if any
  std::vector<std::pair<std::string, std::string>> headers = {};
  std::string_view body = {};
  int patience_seconds = kPatienceSeconds;  // for each piece of the answer; 0: however long it takes
};

// Sends one request to `endpoint` ("http://host:port/", no TLS) on a connection of its own and waits for the whole answer. For
// the command's own tools. kUnavailable when nobody answers, kInvalidInput when the endpoint cannot be read.
Result<HttpAnswer> send_request(std::string_view endpoint, const ClientRequest& request);

}  // namespace partita::net
