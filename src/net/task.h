#pragma once

#include <coroutine>
#include <exception>
#include <optional>
#include <utility>

// The two coroutine types of this room. They hold no executor and no allocator: a connection stays on one thread, so that
// resuming is a plain call. Leaner than asio::awaitable, which keeps a frame stack and cancellation state per operation.
namespace partita::net {

// Task<T>: starts when awaited, resumes its awaiter when it returns. Awaited exactly once, at once.
template <typename T>
class [[nodiscard]] Task {
 public:
  struct promise_type {
    std::coroutine_handle<> awaiter;
    std::optional<T> value;

    struct Final {
      bool await_ready() noexcept { return false; }
      std::coroutine_handle<> await_suspend(std::coroutine_handle<promise_type> self) noexcept { return self.promise().awaiter; }
      void await_resume() noexcept {}
    };

    Task get_return_object() { return Task(std::coroutine_handle<promise_type>::from_promise(*this)); }
    std::suspend_always initial_suspend() noexcept { return {}; }
    Final final_suspend() noexcept { return {}; }
    void return_value(T result) { value = std::move(result); }
    void unhandled_exception() { std::terminate(); }
  };

  Task(Task&& other) noexcept : coroutine_(std::exchange(other.coroutine_, nullptr)) {}
  Task& operator=(Task&&) = delete;
  ~Task() {
    if (coroutine_) coroutine_.destroy();
  }

  bool await_ready() const noexcept { return false; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<> awaiter) noexcept {
    coroutine_.promise().awaiter = awaiter;
    return coroutine_;
  }
  T await_resume() { return std::move(*coroutine_.promise().value); }

 private:
  explicit Task(std::coroutine_handle<promise_type> coroutine) : coroutine_(coroutine) {}

  std::coroutine_handle<promise_type> coroutine_;
};

// Detached: starts at once and frees itself, with its parameters, when it returns.
struct Detached {
  struct promise_type {
    Detached get_return_object() { return {}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
};

}  // namespace partita::net
