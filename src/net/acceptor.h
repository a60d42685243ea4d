#pragma once

#include "base/result.h"
#include "net/event_loop.h"
#include "net/file_descriptor.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace partita::net {

// Acceptor: a listening socket on an event loop. After listen() it is used on that loop's thread only.
class Acceptor final : private EventLoop::Watcher {
 public:
  // A non-blocking socket with TCP_NODELAY, and where it comes from as "address:port".
  using OnAccept = std::move_only_function<void(FileDescriptor socket, std::string peer_address)>;

  // Port 0 takes any free one.
  static Result<std::unique_ptr<Acceptor>> listen(const std::string& address, uint16_t port, OnAccept on_accept);

  uint16_t port() const { return port_; }
  bool watch_on(EventLoop& loop);
  void close() { listener_.close(); }

 private:
  Acceptor(FileDescriptor listener, uint16_t port, OnAccept on_accept);
  void on_ready(uint32_t events) override;
  // False: no more for now.
  bool accept_one();
  void turn_one_away();

  FileDescriptor listener_;
  FileDescriptor spare_;  // given up for a moment when the process has no file descriptor left
  uint16_t port_;
  OnAccept on_accept_;
};

}  // namespace partita::net
