#pragma once

#include "net/event_loop.h"

#include <coroutine>
#include <utility>

namespace partita::net {

// Signal: something that one task awaits and another reports, once or more often before the next wait. On one loop's thread only.
class Signal {
 public:
  explicit Signal(EventLoop& loop) : loop_(loop) {}
  Signal(const Signal&) = delete;
  Signal& operator=(const Signal&) = delete;

  // The task goes on after the caller had its turn.
  void set() {
    is_set_ = true;
    if (awaiter_) loop_.defer(std::exchange(awaiter_, nullptr));
  }

  bool await_ready() const { return is_set_; }
  void await_suspend(std::coroutine_handle<> awaiter) { awaiter_ = awaiter; }
  void await_resume() { is_set_ = false; }

 private:
  EventLoop& loop_;
  std::coroutine_handle<> awaiter_;
  bool is_set_ = false;
};

}  // namespace partita::net
