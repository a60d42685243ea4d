#pragma once

#include "net/http_parser.h"
#include "net/http_worker.h"
#include "net/stream.h"
#include "net/task.h"

#include <atomic>
#include <chrono>
#include <coroutine>
#include <memory>
#include <string>

namespace partita::net {

// Connection: one client from accept to close. Lives in its own coroutine, on its event loop's thread.
//
// 1. Requests are answered in the order in which they came; the next one is looked at when the answer before it is complete.
// 2. While a handler is at work, request_ and response_ are its own and the connection does not end, even if the client is gone.
// 3. Answers gather in output_ until no complete request is left in the input, then go out with one system call.
class Connection {
 public:
  static void start(std::shared_ptr<HttpWorker> worker, FileDescriptor socket, std::string peer_address, bool is_refused);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // From the event loop, on its thread.
  void expire_if_overdue(EventLoop::SteadyTime now);
  void close_if_idle();
  void abort() { stream_.cancel(); }
  size_t place() const { return place_; }
  void set_place(size_t place) { place_ = place; }

 private:
  class DoneSignal;
  struct HandlerFinished;
  enum class HandlerState : int { kAtWork, kAwaited, kFinished };

  Connection(std::shared_ptr<HttpWorker> worker, FileDescriptor socket, std::string peer_address, bool is_refused);
  static Detached run(std::unique_ptr<Connection> self);

  Task<bool> serve();
  // Tells TLS from plain by the first byte.
  Task<bool> open();
  // False: no request will come any more.
  Task<bool> receive_request();
  Task<bool> receive_more();
  Task<bool> answer();
  Task<bool> await_handler();
  Task<bool> send_output(std::string_view body);
  // Answers what no handler sees, and closes.
  Task<bool> refuse(HttpFailure failure);
  // Reads on for a while before closing: closing with unread input resets the connection, and the answer could be lost with it.
  Task<bool> linger();

  void say_last(const HttpFailure& failure);
  // On any thread.
  void finish_handler(bool is_abandoned);

  bool is_idle() const { return is_waiting_ && input_.empty(); }
  void set_deadline(std::chrono::milliseconds timeout) { deadline_ = worker_->loop().deadline_after(timeout); }
  void clear_deadline() { deadline_ = EventLoop::SteadyTime::max(); }

  std::shared_ptr<HttpWorker> worker_;
  Stream stream_;
  std::string peer_address_;
  const bool is_refused_;
  size_t place_ = 0;  // in the loop's list
  EventLoop::SteadyTime deadline_;
  bool is_waiting_ = false;  // for a request or more of it
  bool is_sending_ = false;
  bool is_expired_ = false;       // the deadline passed
  uint64_t sent_bytes_seen_ = 0;  // when a deadline passed while sending
  InputBuffer input_;
  HttpParser parser_;
  HttpResponse response_;
  std::string output_;
  std::atomic<HandlerState> handler_state_{HandlerState::kFinished};
  std::coroutine_handle<> handler_awaiter_;
};

}  // namespace partita::net
