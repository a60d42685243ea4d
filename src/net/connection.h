#pragma once

#include "base/fair_memory.h"
#include "net/http_parser.h"
#include "net/http_worker.h"
#include "net/stream.h"
#include "net/task.h"

#include <atomic>
#include <chrono>
#include <coroutine>
#include <memory>
#include <optional>
#include <string>

namespace partita::net {

// Connection: one client from accept to close. Lives in its own coroutine, on its event loop's thread.
//
// 1. Requests are answered in the order in which they came; the next one is looked at when the answer before it is complete.
// 2. While a handler is at work, request_ and response_ are its own and the connection does not end, even if the client is gone.
// 3. Answers gather in output_ until no complete request is left in the input, then go out with one system call.
// 4. What it holds beyond a few times kUncountedBytes is counted in loan_, before it is there: a body from its admission, and an
//    answer until it is sent.
class Connection {
 public:
  // One that is `is_spare` is over the limit: only vital requests are answered on it, unless others end before its request comes.
  static void start(std::shared_ptr<HttpWorker> worker, FileDescriptor socket, std::string peer_address, bool is_spare);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // From the event loop, on its thread.
  void expire_if_overdue(EventLoop::SteadyTime now);
  void close_if_idle();
  // Closes it now; a handler that is at work learns that nobody waits for it.
  void abort() {
    stream_.abandon();
    stream_.cancel();
  }
  // Gives back buffers that have not been used since the last call.
  void release_if_idle();
  // Since when it has been waiting for its client to begin or complete a small request; nothing: it is not.
  std::optional<EventLoop::SteadyTime> waiting_since() const {
    return is_waiting_ && !transfer_ ? std::optional(waiting_since_) : std::nullopt;
  }
  // Closes it to make room for others. REQUIRES: waiting_since().
  void give_way() { stream_.cancel(); }
  size_t place() const { return place_; }
  void set_place(size_t place) { place_ = place; }

 private:
  class DoneSignal;
  struct HandlerFinished;
  enum class HandlerState : int { kAtWork, kAwaited, kFinished };

  // A body or an answer that is counted, on its way.
  struct Transfer {
    EventLoop::SteadyTime since;
    uint64_t moved_before = 0;  // of moved_bytes()
  };

  Connection(std::shared_ptr<HttpWorker> worker, FileDescriptor socket, std::string peer_address, bool is_spare);
  static Detached run(std::unique_ptr<Connection> self);

  Task<bool> serve();
  // Tells TLS from plain by the first byte.
  Task<bool> open();
  // False: no request will come any more.
  Task<bool> receive_request();
  Task<bool> receive_more();
  // Before more of a request is received: asks whether its body may come, and counts what it will take. False: response_ says why
  // it may not.
  bool make_room(bool is_client_waiting);
  bool admit_body();
  bool borrow(size_t bytes);
  Task<bool> answer();
  // Counts the answer until it is sent; replaces it when there is no memory for it.
  void borrow_for_answer();
  void answer_busy();
  bool is_turned_away();
  Task<bool> await_handler();
  Task<bool> send_output(std::string_view body);
  // Answers what no handler sees, and closes.
  Task<bool> refuse(HttpFailure failure);
  // Sends what is in response_, and closes without reading the rest of the request.
  Task<bool> refuse_with_response(bool is_body_coming);
  // Reads on for a while before closing: closing with unread input resets the connection, and the answer could be lost with it.
  Task<bool> linger();
  // Of a request that was refused before its body had come: reads it, within bounds, and keeps nothing. False as receive_more().
  Task<bool> drop_body();

  void say_last(const HttpFailure& failure);
  // On any thread.
  void finish_handler(bool is_abandoned);

  bool is_idle() const { return is_waiting_ && input_.empty(); }
  void begin_transfer();
  uint64_t moved_bytes() const { return stream_.sent_bytes() + stream_.received_bytes(); }
  bool is_too_slow(EventLoop::SteadyTime now) const;
  void expire();
  void set_deadline(std::chrono::milliseconds timeout) { deadline_ = worker_->loop().deadline_after(timeout); }
  void clear_deadline() { deadline_ = EventLoop::SteadyTime::max(); }

  std::shared_ptr<HttpWorker> worker_;
  Stream stream_;
  std::string peer_address_;
  bool is_spare_;
  size_t place_ = 0;  // in the loop's list
  EventLoop::SteadyTime deadline_;
  bool is_waiting_ = false;  // for a request or more of it, or for a handshake
  EventLoop::SteadyTime waiting_since_;
  bool is_body_admitted_ = false;
  MemoryLoan loan_;
  std::optional<Transfer> transfer_;
  uint64_t moved_when_seen_ = 0;  // by release_if_idle()
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
