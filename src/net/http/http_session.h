#pragma once

#include "net/connection.h"
#include "net/http/http_parser.h"
#include "net/http/http_response_writer.h"
#include "net/http/http_stream.h"
#include "net/http/http_wire.h"
#include "net/signal.h"
#include "net/task.h"
#include "net/wire.h"

#include <atomic>
#include <coroutine>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace partita::net {

// HttpSession: HTTP/1.1 with one client.
//
// 1. Requests are answered in the order in which they came; the next one is looked at when the answer before it is complete.
// 2. While a handler is at work, request and response_ are its own and the session does not end, even if the client is gone.
// 3. Answers gather in output_ until no complete request is left in the input, then go out with one system call.
// 4. A large body is counted from its admission, an answer until it is sent. A body for which there is no memory waits for it,
//    unread.
// 5. A body that is streamed is received only as its handler asks for it; an answer that is, made only as its client takes it.
class HttpSession final : public Session, private RequestBody {
 public:
  HttpSession(const HttpWire& wire, Connection& connection);

  Task<End> serve() override;
  void release_idle_memory() override;

 private:
  class DoneSignal;
  class MadeSignal;
  struct HandlerFinished;
  enum class HandlerState : int { kAtWork, kAwaited, kFinished };
  using Memory = Connection::Memory;

  // On any thread.
  void next(OnPiece on_piece) override;
  Detached deliver(OnPiece on_piece);
  Task<Result<std::string_view>> next_piece();
  void begin_stream();
  // Once the handler is done.
  Task<bool> end_stream();
  Task<bool> answer_from_source(ResponseFraming framing);
  // False: the client does not have all of it.
  Task<bool> send_source(ResponseSource& source, bool is_chunked, std::optional<uint64_t> rest_bytes);

  // False: no request will come any more.
  Task<bool> receive_request();
  // Before more of a request is received: asks whether its body may come, and counts what it will take. When it is refused,
  // response_ says why.
  Memory make_room(bool is_client_waiting);
  Memory admit_body();
  Memory borrow(size_t bytes);
  // Until there is memory for the body, for a while.
  Task<Memory> await_memory();
  // What is borrowed is there for it.
  void begin_body();
  Task<bool> answer();
  // Counts the answer until it is sent; replaces it when there is no memory for it, or leaves its body out when the client must
  // learn of it.
  void borrow_for_answer();
  void answer_busy();
  bool is_turned_away();
  Task<bool> await_handler();
  // Answers what no handler sees, and closes.
  Task<bool> refuse(HttpFailure failure);
  // Sends what is in response_, and closes without reading the rest of the request.
  Task<bool> refuse_with_response(bool is_body_coming);
  // Of a request that was refused before its body had come: reads it, within bounds, and keeps nothing. False as receive_more().
  Task<bool> drop_body();
  void say_last(const HttpFailure& failure);
  // On any thread.
  void finish_handler(bool is_abandoned);

  const HttpWire& wire_;
  Connection& connection_;
  InputBuffer& input_;  // the connection's
  HttpParser parser_;
  HttpResponse response_;
  std::string output_;
  bool is_body_admitted_ = false;
  bool is_streamed_ = false;    // the request's body
  bool is_body_whole_ = false;  // of a streamed one
  size_t piece_bytes_ = 0;      // that the handler has of it
  size_t streamed_bytes_max_ = 0;
  std::atomic<int> pieces_asked_{0};
  Signal is_delivered_;
  ResponseSource::Progress made_{};
  Signal is_made_;
  End end_ = End::kAtOnce;
  std::atomic<HandlerState> handler_state_{HandlerState::kFinished};
  std::coroutine_handle<> handler_awaiter_;
};

}  // namespace partita::net
