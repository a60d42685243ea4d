#pragma once

#include "net/event_loop.h"
#include "net/http_response_writer.h"
#include "net/http_server.h"
#include "net/tls.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace partita::net {

class Connection;

// ConnectionCount: how many connections are open on all threads together, and a way to wait until none is. Thread-safe.
class ConnectionCount {
 public:
  void add() { open_.fetch_add(1); }
  void remove();
  uint64_t open() const { return open_.load(); }
  // False when time ran out.
  bool wait_until_none(std::chrono::milliseconds at_most);
  void wait_until_none();

 private:
  std::atomic<uint64_t> open_{0};
  std::mutex mutex_;
  std::condition_variable none_open_;
};

// What the workers of one server share. Immutable but for the count.
struct ServerContext {
  HttpLimits limits;
  HttpHandler& handler;
  std::unique_ptr<TlsContext> tls;  // null: plain only
  ConnectionCount connections;
};

// HttpWorker: one thread's event loop and the connections that live on it.
//
// start(), adopt(), begin_stop(), abort_connections(), finish() and the counters are thread-safe; all else is for the loop's own
// thread. Shared, because whoever completes a request on another thread must be able to post to the loop until that call returns.
class HttpWorker : public std::enable_shared_from_this<HttpWorker> {
 public:
  struct Counters {
    std::atomic<uint64_t> requests{0};
    std::atomic<uint64_t> malformed_requests{0};
    std::atomic<uint64_t> timeouts{0};
  };

  explicit HttpWorker(std::shared_ptr<ServerContext> server);
  ~HttpWorker();

  void start(size_t index);
  // Takes over an accepted socket that `connections` already counts.
  void adopt(FileDescriptor socket, std::string peer_address, bool is_refused);
  // Connections that wait for a request close now, the others after their answer.
  void begin_stop();
  // Closes every connection now, except that one whose handler is at work waits for it.
  void abort_connections();
  // Ends the thread. REQUIRES: no connections are left.
  void finish() { loop_.join(); }

  EventLoop& loop() { return loop_; }
  const ServerContext& server() const { return *server_; }
  Counters& counters() { return counters_; }
  const Counters& counters() const { return counters_; }
  bool is_stopping() const { return is_stopping_; }
  std::string_view date() { return date_.now(); }

  size_t connection_count() const { return connections_.size(); }
  void enter(Connection& connection);
  void leave(Connection& connection);
  // The last thing a connection does.
  void connection_closed() { server_->connections.remove(); }

 private:
  void expire_connections();

  std::shared_ptr<ServerContext> server_;
  EventLoop loop_;
  DateText date_;
  bool is_stopping_ = false;
  std::vector<Connection*> connections_;  // each knows its place
  alignas(64) Counters counters_;         // read by other threads
};

}  // namespace partita::net
