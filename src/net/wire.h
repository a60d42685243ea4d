#pragma once

#include "net/task.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <string_view>

namespace partita::net {

class Connection;

// Session: what one peer and the server say to each other on a connection, in the words of one wire. On the connection's thread.
//
// 1. Everything it receives, sends and waits for goes through its Connection, which has the deadlines, the memory and the count.
// 2. It may receive and send at the same time, with one task for each; it ends when both have.
// 3. It does not end before whoever works for it on other threads is done, even if the peer is gone.
// 4. It holds no more than kUncountedBytes that it did not borrow.
class Session {
 public:
  enum class End {
    kAtOnce,
    kLingering,  // the peer may not have read what was sent last: closing with unread input could take it away
  };

  virtual ~Session() = default;
  // Until the peer, the server or a deadline ends the connection.
  virtual Task<End> serve() = 0;
  // Gives back buffers; called now and then while the connection waits for a message.
  virtual void release_idle_memory() {}
};

// Wire: a protocol that can be spoken on a port. Thread-safe, and outlives the server that speaks it.
class Wire {
 public:
  enum class Match { kYes, kNo, kNeedMore };

  virtual ~Wire() = default;
  // For metrics.
  virtual std::string_view name() const = 0;
  // Whether a peer that begins with these bytes speaks it; kNeedMore: the bytes do not tell yet. At least one byte is there, and
  // kFirstBytesMax of them must be enough.
  virtual Match match(std::string_view first_bytes, bool is_tls) const = 0;
  static constexpr size_t kFirstBytesMax = 64;
  // The connection outlives the session.
  virtual std::unique_ptr<Session> open(Connection& connection) = 0;
  // Whether its sessions look at Connection::is_over_limit() themselves, to say so or to answer what is vital. Otherwise
  // connections over the limit are closed.
  virtual bool answers_over_limit() const { return false; }

  uint64_t connections_open() const { return connections_open_.load(std::memory_order_relaxed); }

 private:
  friend class Connection;
  std::atomic<uint64_t> connections_open_{0};
};

}  // namespace partita::net
