#pragma once

#include "base/fair_memory.h"
#include "base/result.h"
#include "net/http_limits.h"
#include "net/http_message.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

namespace partita::net {

struct TlsIdentity {
  std::string certificate_pem;
  std::string private_key_pem;
};

struct HttpServerOptions {
  std::string bind_address = "127.0.0.1";
  uint16_t port = 8081;  // 0: any free port
  size_t threads = 0;    // 0: one per core
  TlsIdentity tls;       // plain and TLS are told apart by the first byte, on the same port; empty: plain only
  HttpLimits limits;
  FairMemory* memory = nullptr;  // for large bodies and answers; null: without a limit
  bool measures_loops = false;   // also by processor time
};

// Counted since start; for metrics.
struct HttpServerCounters {
  uint64_t connections_open;
  uint64_t connections_accepted;
  uint64_t connections_refused;  // over connections_max, although others were closed for them
  uint64_t requests;
  uint64_t malformed_requests;
  uint64_t timeouts;
  uint64_t refused_for_memory;
  // Callbacks that kept the other connections of their thread waiting, and the longest in microseconds.
  uint64_t callbacks_over_1_ms;
  uint64_t callbacks_over_10_ms;
  uint64_t callbacks_over_100_ms;
  uint64_t callback_us_max;
  uint64_t callback_processor_us_max;  // 0 unless measured
};

// HttpServer: HTTP/1.1 on plain and TLS connections. One event loop per thread; a connection stays on its thread.
//
// start() returns once the port accepts connections. begin_stop() stops accepting and closes connections without a request.
// stop() does that too, lets requests under way finish for at most the given time, then closes, and tells handlers that nobody
// waits for them any more. Thread-safe after start(), except that stop() and the destructor must not run inside a handler.
// The destructor waits for every handler that has not yet called done: its request lives in memory of the server.
class HttpServer {
 public:
  static Result<std::unique_ptr<HttpServer>> start(HttpServerOptions options, HttpHandler& handler);
  virtual ~HttpServer() = default;
  virtual uint16_t port() const = 0;
  virtual HttpServerCounters counters() const = 0;
  virtual void begin_stop() = 0;
  virtual void stop(std::chrono::milliseconds grace) = 0;
};

}  // namespace partita::net
