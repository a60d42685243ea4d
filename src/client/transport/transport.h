#pragma once

#include "base/result.h"
#include "client/endpoint.h"
#include "client/options.h"
#include "client/response.h"

#include <chrono>
#include <expected>
#include <memory>
#include <string>

namespace partita::client {

// Why there is no answer.
struct Loss {
  enum class Kind {
    kNotSent,    // the server has not seen the request
    kUnknown,    // nobody knows what became of it
    kTimeout,    // the same, after the time that an answer may take
    kNotHttp,    // what came back cannot be read, or is too large
    kNotOpened,  // the server cannot be spoken to at all, so trying again does not help: its certificate, for one
    kClosed,     // the client is closed
  };
  Kind kind;
  std::string message;
};

using Outcome = std::expected<Response, Loss>;

// Exchange: the bytes of one request, and who waits for its answer.
struct Exchange {
  virtual ~Exchange() = default;
  // On the thread that read the answer; also sends `self` again, if need be. Nothing may be thrown.
  virtual void finish(std::unique_ptr<Exchange> self, Outcome outcome) = 0;

  std::string text;  // the whole request as it goes over the wire
};

// Transport: HTTP/1.1 to one endpoint over connections that are kept. Thread-safe.
//
// Every exchange that is sent is finished once per sending. Threads of the transport's own move bytes and finish exchanges, so
// whoever finishes one must not wait there. Connections, exchanges that wait for one, and answers are bounded by the options.
class Transport {
 public:
  // Opens no connection yet. kInvalidInput for certificates that cannot be read.
  static Result<std::unique_ptr<Transport>> start(const Endpoint& endpoint, const Options& options);

  virtual ~Transport() = default;
  virtual void send(std::unique_ptr<Exchange> exchange) = 0;
  virtual void send_after(std::chrono::milliseconds delay, std::unique_ptr<Exchange> exchange) = 0;
  // Whether the calling thread is one of the transport's.
  virtual bool is_own_thread() const = 0;
};

}  // namespace partita::client
