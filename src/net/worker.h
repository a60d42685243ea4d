#pragma once

#include "base/fair_memory.h"
#include "net/event_loop.h"
#include "net/file_descriptor.h"
#include "net/memory_queue.h"
#include "net/stream_limits.h"
#include "net/tls/tls.h"
#include "net/wire.h"

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

// What is spoken on one port: the first wire that matches a connection's first bytes has it. Immutable.
using Wires = std::vector<Wire*>;

// What the workers of one server share. Thread-safe.
struct ServerContext {
  const StreamLimits limits;
  const std::unique_ptr<TlsContext> tls;  // null: plain only
  FairMemory* const memory;               // null: without a limit
  mutable MemoryQueue memory_queue;
  ConnectionCount connections;

  ServerContext(const StreamLimits& given_limits, std::unique_ptr<TlsContext> given_tls, FairMemory* given_memory)
      : limits(given_limits), tls(std::move(given_tls)), memory(given_memory), memory_queue(given_memory) {}

  // Somebody wanted memory in the name of that tenant and did not get it.
  void note_shortage(uint64_t tenant, EventLoop::SteadyTime when) const {
    short_tenant.store(tenant, std::memory_order_relaxed);
    short_since.store(when.time_since_epoch().count(), std::memory_order_relaxed);
  }
  // Whether that was a moment ago, and of this tenant.
  bool is_short(uint64_t tenant, EventLoop::SteadyTime now) const {
    constexpr std::chrono::seconds kMoment{3};
    const EventLoop::SteadyTime since{EventLoop::SteadyTime::duration(short_since.load(std::memory_order_relaxed))};
    return since.time_since_epoch().count() > 0 && now - since < kMoment &&
           short_tenant.load(std::memory_order_relaxed) == tenant;
  }

 private:
  // Of the last one only: it is told slow clients to go, and others come again.
  mutable std::atomic<uint64_t> short_tenant{0};
  mutable std::atomic<int64_t> short_since{0};
};

// Worker: one thread's event loop and the connections that live on it.
//
// start(), adopt(), make_room(), begin_stop(), abort_connections(), finish() and the counters are thread-safe; all else is for
// the loop's own thread. Shared, because whoever completes a request on another thread must be able to post to the loop until
// that call returns.
class Worker : public std::enable_shared_from_this<Worker> {
 public:
  struct Counters {
    std::atomic<uint64_t> requests{0};
    std::atomic<uint64_t> malformed_requests{0};
    std::atomic<uint64_t> timeouts{0};
    std::atomic<uint64_t> refused_for_memory{0};
    std::atomic<uint64_t> turned_away{0};  // connections over the limit

    // Only the loop's thread writes.
    static void add(std::atomic<uint64_t>& counter) {
      counter.store(counter.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    }
  };

  explicit Worker(std::shared_ptr<ServerContext> server);
  ~Worker();

  void start(size_t index);
  // Takes over an accepted socket that `connections` already counts. The wires outlive it.
  void adopt(const Wires& wires, FileDescriptor socket, std::string peer_address, bool is_spare);
  // Closes one of a few connections that wait for their client, the one that has been waiting longest.
  void make_room();
  // Connections that wait for a message close now, the others after their answer.
  void begin_stop();
  // Closes every connection now, except that one for which somebody is at work waits for it.
  void abort_connections();
  // Ends the thread. REQUIRES: no connections are left.
  void finish() { loop_.join(); }

  EventLoop& loop() { return loop_; }
  const ServerContext& server() const { return *server_; }
  Counters& counters() { return counters_; }
  const Counters& counters() const { return counters_; }
  bool is_stopping() const { return is_stopping_; }

  size_t connection_count() const { return connections_.size(); }
  void enter(Connection& connection);
  void leave(Connection& connection);
  // The last thing a connection does.
  void connection_closed() { server_->connections.remove(); }

 private:
  void expire_connections();
  void close_longest_waiting();

  std::shared_ptr<ServerContext> server_;
  EventLoop loop_;
  bool is_stopping_ = false;
  std::vector<Connection*> connections_;  // each knows its place
  size_t next_look_ = 0;                  // where to look for one that can give way
  alignas(64) Counters counters_;         // read by other threads
};

}  // namespace partita::net
