#pragma once

#include "base/result.h"
#include "net/http_message.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace partita::net {

struct HttpLimits {
  size_t header_bytes_max = 64 * 1024;
  size_t header_count_max = 128;
  size_t body_bytes_max = 16 * 1024 * 1024;
  size_t connections_max = 10'000;
  std::chrono::seconds idle_timeout{300};           // between requests on a kept-alive connection
  std::chrono::seconds request_timeout{30};         // from a request's first byte to its last; also the TLS handshake
  std::chrono::seconds response_timeout{60};        // a client that does not read its answer
};

struct TlsIdentity {
  std::string certificate_pem;
  std::string private_key_pem;
};

struct HttpServerOptions {
  std::string bind_address = "127.0.0.1";
  uint16_t port = 8081;  // 0: any free port
  size_t threads = 0;    // 0: one per core
  TlsIdentity tls;       // plain and TLS are told apart by the first byte, on the same port
  HttpLimits limits;
};

// Counted since start; for metrics.
struct HttpServerCounters {
  uint64_t connections_open;
  uint64_t connections_accepted;
  uint64_t requests;
  uint64_t malformed_requests;
  uint64_t timeouts;
};

// HttpServer: HTTP/1.1 on plain and TLS connections. One event loop per thread; a connection stays on its thread.
//
// start() returns once the port accepts connections. stop() stops accepting, lets requests under way finish for at most the
// given time, then closes. Thread-safe after start().
class HttpServer {
 public:
  static Result<std::unique_ptr<HttpServer>> start(HttpServerOptions options, HttpHandler& handler);
  virtual ~HttpServer() = default;
  virtual uint16_t port() const = 0;
  virtual HttpServerCounters counters() const = 0;
  virtual void stop(std::chrono::milliseconds grace) = 0;
};

}  // namespace partita::net
