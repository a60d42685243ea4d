#pragma once

#include "net/event_loop.h"
#include "net/file_descriptor.h"
#include "net/signal.h"

#include <chrono>
#include <cstdint>

namespace partita::net {

// ShortTimer: lets a task wait for less than a tick. On one loop's thread only.
class ShortTimer final : private EventLoop::Watcher {
 public:
  explicit ShortTimer(EventLoop& loop);
  ~ShortTimer() { loop_.forget(timer_.get(), *this); }
  ShortTimer(const ShortTimer&) = delete;
  ShortTimer& operator=(const ShortTimer&) = delete;

  // To be awaited next. Where no timer can be had, the wait is over at once.
  Signal& wait_for(std::chrono::microseconds time);

 private:
  void on_ready(uint32_t events) override;

  EventLoop& loop_;
  FileDescriptor timer_;
  Signal is_over_;
};

}  // namespace partita::net
