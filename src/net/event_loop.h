#pragma once

#include "net/http_response_writer.h"
#include "net/http_server.h"
#include "net/stream.h"
#include "net/tls.h"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/steady_timer.hpp>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace partita::net {

class Connection;

// ConnectionCount: how many connections are open on all loops together, and a way to wait until none is. Thread-safe.
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

// What the loops of one server share. Immutable but for the count.
struct ServerContext {
  HttpLimits limits;
  HttpHandler& handler;
  std::unique_ptr<TlsContext> tls;  // null: plain only
  ConnectionCount connections;
};

// EventLoop: one thread and the connections that live on it.
//
// adopt(), begin_stop(), abort_connections(), finish() and the counters are thread-safe; all else is for the loop's own thread. Shared,
// because whoever completes a request on another thread must be able to post to it until that call returns.
class EventLoop : public std::enable_shared_from_this<EventLoop> {
 public:
  using SteadyTime = std::chrono::steady_clock::time_point;
  struct Counters {
    std::atomic<uint64_t> requests{0};
    std::atomic<uint64_t> malformed_requests{0};
    std::atomic<uint64_t> timeouts{0};
  };

  explicit EventLoop(std::shared_ptr<ServerContext> server);
  ~EventLoop();

  void start_thread(size_t index);
  // Takes over an accepted socket that `connections` already counts.
  void adopt(Socket socket, std::string peer_address, bool is_refused);
  // Connections that wait for a request close now, the others after their answer.
  void begin_stop();
  // Closes every connection now, except that one whose handler is at work waits for it.
  void abort_connections();
  // Ends the thread. REQUIRES: no connections are left.
  void finish();

  asio::io_context& context() { return context_; }
  const ServerContext& server() const { return *server_; }
  Counters& counters() { return counters_; }
  const Counters& counters() const { return counters_; }

  bool is_stopping() const { return is_stopping_; }
  std::string_view date() { return date_.now(); }
  // When something that may take `timeout` from now is overdue. Late by up to two ticks, never early.
  SteadyTime deadline_after(std::chrono::milliseconds timeout) const { return tick_time_ + tick_ + timeout; }

  void enter(Connection& connection);
  void leave(Connection& connection);
  // The last thing a connection does.
  void connection_closed() { server_->connections.remove(); }

 private:
  void schedule_tick();
  void tick();

  std::shared_ptr<ServerContext> server_;
  asio::io_context context_{1};  // the hint: one thread runs it
  asio::executor_work_guard<asio::io_context::executor_type> work_;
  asio::basic_waitable_timer<std::chrono::steady_clock, asio::wait_traits<std::chrono::steady_clock>, asio::io_context::executor_type> timer_;
  std::chrono::milliseconds tick_;
  SteadyTime tick_time_ = std::chrono::steady_clock::now();
  DateText date_;
  bool is_stopping_ = false;
  std::vector<Connection*> connections_;  // each knows its place
  alignas(64) Counters counters_;
  std::jthread thread_;
};

}  // namespace partita::net
