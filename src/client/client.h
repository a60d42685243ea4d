#pragma once

#include "base/result.h"
#include "client/endpoint.h"
#include "client/failure.h"
#include "client/options.h"
#include "client/request.h"
#include "client/response.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace partita::client {

// What a client did since it was made.
struct Counters {
  uint64_t sent = 0;       // each attempt counts
  uint64_t throttles = 0;  // attempts that were told to come back later
  uint64_t retries = 0;    // attempts that were not the first of their request
  uint64_t lost = 0;       // attempts without an answer
};

// Called once for each request, with whatever the server answered, on a thread of the client: it must neither wait nor throw. It
// may send. Failure: there is no answer. A request that cannot be written fails at once, within send().
using Callback = std::move_only_function<void(Answer<Response>)>;

// Client: requests to one endpoint. Thread-safe; copies share their connections and sessions.
//
// 1. Connections are opened as they are needed, kept, and bounded in number. Nothing is sent before the first request.
// 2. Requests that were refused for a while or lost are sent again, within the bounds of Options::retry.
// 3. When the last copy is gone, requests without an answer fail. That must not happen in a callback.
class Client {
 public:
  // kInvalidInput: the options cannot be used. No server is asked.
  static Result<Client> create(const Options& options);

  void send(Request request, Callback callback) const;
  // Waits for the answer. REQUIRES: this is no callback.
  Answer<Response> send(Request request) const;
  // The same; a status that is no success is a Failure as well.
  Answer<Response> send_expecting_success(Request request) const;

  const Endpoint& endpoint() const;
  Counters counters() const;
  // The tokens that reads of this container are sent with; empty when it was not used yet.
  std::string session_tokens(const ContainerName& container) const;
  // After a container was made anew under its old name.
  void forget_session(const ContainerName& container) const;

 private:
  class Core;
  class Operation;
  explicit Client(std::shared_ptr<Core> core) : core_(std::move(core)) {}

  std::shared_ptr<Core> core_;
};

// A status that is no success as a Failure.
Answer<Response> expect_success(Answer<Response> answer);

}  // namespace partita::client
