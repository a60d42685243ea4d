#pragma once

#include "base/fair_memory.h"
#include "base/result.h"
#include "net/stream_limits.h"
#include "net/tls/certificate.h"
#include "net/wire.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace partita::net {

// A port, and what is spoken on it.
struct ListenerOptions {
  std::string bind_address = "127.0.0.1";
  uint16_t port = 8081;  // 0: any free port
  // The first that matches a connection's first bytes has it, so those that need a look at them stand before one that takes
  // everything. They outlive the server.
  std::vector<Wire*> wires;
};

// All listeners share the threads, the limits and the memory.
struct ServerOptions {
  size_t threads = 0;  // 0: one per core
  TlsIdentity tls;     // plain and TLS are told apart by the first byte, on the same port; empty: plain only
  StreamLimits limits;
  FairMemory* memory = nullptr;  // for large messages and answers; null: without a limit
  bool measures_loops = false;   // also by processor time
};

// Counted since start; for metrics.
struct ServerCounters {
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

// Server: plain and TLS connections on one or several ports. One event loop per thread; a connection stays on its thread.
//
// start() returns once the ports accept connections. begin_stop() stops accepting and closes connections without a request.
// stop() does that too, lets requests under way finish for at most the given time, then closes, and tells whoever is at work that
// nobody waits any more. Thread-safe after start(), except that stop() and the destructor must not run inside a handler.
// The destructor waits for everybody who is at work for a session: requests live in its memory.
class Server {
 public:
  static Result<std::unique_ptr<Server>> start(ServerOptions options, std::vector<ListenerOptions> listeners);
  virtual ~Server() = default;
  // Of the listener with that number.
  virtual uint16_t port(size_t listener = 0) const = 0;
  virtual ServerCounters counters() const = 0;
  virtual void begin_stop() = 0;
  virtual void stop(std::chrono::milliseconds grace) = 0;
};

}  // namespace partita::net
