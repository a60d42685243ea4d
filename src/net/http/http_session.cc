#include "net/http/http_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace partita::net {
namespace {

constexpr size_t kOutputBytesMax = kUncountedBytes;        // gathered before it is sent
constexpr size_t kAppendedBodyBytesMax = kUncountedBytes;  // copied behind its head; a larger body is sent from where it is
// A body is counted twice: as it comes, and as the document or the answer that becomes of it.
constexpr size_t kBodyCopies = 2;
// Behind a body, so that the buffer need not grow for its last bytes: what one receipt, decrypted, can bring.
constexpr size_t kReceiptBytesMax = 32 * 1024;
// What TLS holds of a large answer at a time.
constexpr size_t kEncryptionBytes = 128 * 1024;
constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

std::string_view date_now() {
  thread_local constinit DateText date;
  return date.now();
}

}  // namespace

std::unique_ptr<Session> HttpWire::open(Connection& connection) { return std::make_unique<HttpSession>(*this, connection); }

// What a handler's HttpDone holds: one pointer, so that no allocation is needed. Dropped without a call it answers 500.
class HttpSession::DoneSignal {
 public:
  explicit DoneSignal(HttpSession* session) : session_(session) {}
  DoneSignal(DoneSignal&& other) noexcept : session_(std::exchange(other.session_, nullptr)) {}
  DoneSignal& operator=(DoneSignal&&) = delete;
  ~DoneSignal() {
    if (session_ != nullptr) session_->finish_handler(true);
  }
  void operator()() {
    if (HttpSession* session = std::exchange(session_, nullptr)) session->finish_handler(false);
  }

 private:
  HttpSession* session_;
};

// The same for a source's piece; dropped without a call it failed.
class HttpSession::MadeSignal {
 public:
  explicit MadeSignal(HttpSession* session) : session_(session) {}
  MadeSignal(MadeSignal&& other) noexcept : session_(std::exchange(other.session_, nullptr)) {}
  MadeSignal& operator=(MadeSignal&&) = delete;
  ~MadeSignal() { operator()(ResponseSource::Progress::kFailed); }
  // Posted even by the loop's own thread, so that others have their turn between two pieces.
  void operator()(ResponseSource::Progress progress) {
    HttpSession* session = std::exchange(session_, nullptr);
    if (session == nullptr) return;
    std::shared_ptr<Worker> worker = session->connection_.shared_worker();
    worker->loop().post([session, progress] {
      session->made_ = progress;
      session->is_made_.set();
    });
  }

 private:
  HttpSession* session_;
};

struct HttpSession::HandlerFinished {
  HttpSession& session;

  bool await_ready() const { return session.handler_state_.load(std::memory_order_acquire) == HandlerState::kFinished; }
  // False: it finished meanwhile, go on at once.
  bool await_suspend(std::coroutine_handle<> awaiter) {
    session.handler_awaiter_ = awaiter;
    return session.handler_state_.exchange(HandlerState::kAwaited, std::memory_order_acq_rel) != HandlerState::kFinished;
  }
  void await_resume() const {}
};

void HttpSession::finish_handler(bool is_abandoned) {
  if (is_abandoned) fill_failure(response_, {500, "the request was dropped without an answer"});
  // Once the state changes, the connection may go on and end on its own thread, and then the server may end.
  std::shared_ptr<Worker> worker = connection_.shared_worker();
  if (handler_state_.exchange(HandlerState::kFinished, std::memory_order_acq_rel) == HandlerState::kAwaited)
    worker->loop().post([this] { handler_awaiter_.resume(); });
}

HttpSession::HttpSession(const HttpWire& wire, Connection& connection)
    : wire_(wire),
      connection_(connection),
      input_(connection.input()),
      parser_(wire.limits()),
      is_delivered_(connection.worker().loop()),
      is_made_(connection.worker().loop()) {
  parser_.request().peer_address = connection_.peer_address();
  parser_.request().is_tls = connection_.is_tls();
  parser_.request().is_abandoned = &connection_.has_peer_closed();
}

Task<Session::End> HttpSession::serve() {
  while (co_await receive_request()) {
    if (is_turned_away()) {
      co_await refuse({503, "the server has as many connections as it is allowed to have"});
      break;
    }
    if (!co_await answer()) break;
    if (!input_.empty()) co_await connection_.worker().loop().give_way();  // for clients that send many requests at once
  }
  co_return end_;
}

bool HttpSession::is_turned_away() {
  if (!connection_.is_over_limit()) return false;
  const bool is_turned_away = !wire_.handler().is_vital(parser_.request());
  if (is_turned_away) Worker::Counters::add(connection_.worker().counters().turned_away);
  return is_turned_away;
}

Task<bool> HttpSession::receive_request() {
  is_body_admitted_ = false;
  is_streamed_ = false;
  while (true) {
    HttpParser::Progress progress = parser_.advance(input_);
    if (progress == HttpParser::Progress::kComplete) {
      connection_.end_transfer();
      connection_.end_message();
      co_return true;
    }
    if (progress == HttpParser::Progress::kFailed && parser_.is_too_large() && wire_.handler().streams(parser_.request())) {
      const bool is_waiting = parser_.take_continue(input_);
      progress = is_waiting ? HttpParser::Progress::kNeedContinue : HttpParser::Progress::kNeedMore;
    }
    if (progress == HttpParser::Progress::kFailed) {
      Worker::Counters::add(connection_.worker().counters().malformed_requests);
      co_return co_await refuse(parser_.failure());
    }
    const bool is_client_waiting = progress == HttpParser::Progress::kNeedContinue;
    Memory memory = make_room(is_client_waiting);
    if (memory == Memory::kAwaited) memory = co_await await_memory();
    if (memory == Memory::kRefused) co_return co_await refuse_with_response(!is_client_waiting);
    if (is_client_waiting) output_.append(kContinue);
    if (!output_.empty() && !co_await connection_.send(output_)) co_return false;
    if (is_streamed_) co_return true;
    if (co_await connection_.receive_more()) continue;
    if (connection_.is_expired() && connection_.is_in_message()) say_last({408, "the request did not arrive in time"});
    co_return false;
  }
}

HttpSession::Memory HttpSession::make_room(bool is_client_waiting) {
  if (!parser_.has_head()) {
    return input_.size() <= kUncountedBytes ? Memory::kGranted : borrow(2 * wire_.limits().header_bytes_max);
  }
  const std::optional<size_t> announced = parser_.request().announced_bytes;
  if (!is_body_admitted_) {
    const bool is_small = announced && *announced <= kUncountedBytes;
    return is_small && !is_client_waiting ? Memory::kGranted : admit_body();
  }
  if (announced || input_.room() >= kReceiptBytesMax) return Memory::kGranted;
  // It does not wait with what it has: two that do would wait for each other.
  const size_t larger = std::max(2 * input_.capacity(), input_.size() + kReceiptBytesMax);
  const Memory memory = borrow(kBodyCopies * larger);
  if (memory == Memory::kGranted) input_.reserve(larger);
  return memory;
}

HttpSession::Memory HttpSession::admit_body() {
  const HttpRequest& head = parser_.request();
  response_.clear();
  const HttpAdmission admission = wire_.handler().admit(head, response_);
  if (!admission.is_admitted) return Memory::kRefused;
  is_body_admitted_ = true;
  is_streamed_ = wire_.handler().streams(head);
  streamed_bytes_max_ = admission.body_bytes_max;
  if (!is_streamed_) parser_.limit_body(admission.body_bytes_max);
  connection_.borrow_as(wire_.handler().tenant_of(head));
  const size_t body_bytes = is_streamed_ ? kStreamedBytesMax : head.announced_bytes.value_or(kUncountedBytes) + kReceiptBytesMax;
  const Memory memory = connection_.borrow_or_wait(kBodyCopies * (parser_.head_bytes() + body_bytes));
  if (memory == Memory::kGranted) begin_body();
  if (memory == Memory::kRefused) answer_busy();
  return memory;
}

void HttpSession::begin_body() {
  if (is_streamed_) return begin_stream();
  input_.reserve(connection_.borrowed_bytes() / kBodyCopies);
  connection_.begin_transfer();
}

HttpSession::Memory HttpSession::borrow(size_t bytes) {
  if (connection_.borrow(bytes)) return Memory::kGranted;
  answer_busy();
  return Memory::kRefused;
}

Task<HttpSession::Memory> HttpSession::await_memory() {
  if (co_await connection_.await_memory(output_)) {
    begin_body();
    co_return Memory::kGranted;
  }
  answer_busy();
  co_return Memory::kRefused;
}

void HttpSession::borrow_for_answer() {
  const size_t bytes = response_.source ? kStreamedBytesMax : response_.body.capacity();
  if (bytes <= kUncountedBytes) return;
  if (connection_.borrowed_bytes() == 0) connection_.borrow_as(wire_.handler().tenant_of(parser_.request()));
  const size_t wanted = bytes + (connection_.is_tls() ? kEncryptionBytes : 0);
  if (connection_.borrow(wanted)) return;
  if (!response_.is_outcome) {
    response_.release();
    return answer_busy();
  }
  connection_.note_shortage();
  if (connection_.borrow(wanted, FairMemory::Claim::kReserve)) return;
  std::string().swap(response_.body);
  response_.source.reset();
}

void HttpSession::answer_busy() {
  connection_.note_refusal();
  wire_.handler().answer_busy(response_);
}

Task<bool> HttpSession::answer() {
  Worker& worker = connection_.worker();
  Worker::Counters::add(worker.counters().requests);
  response_.clear();
  parser_.request().is_alone = worker.connection_count() == 1;
  handler_state_.store(HandlerState::kAtWork, std::memory_order_relaxed);
  wire_.handler().handle(parser_.request(), response_, DoneSignal(this));
  if (handler_state_.load(std::memory_order_acquire) != HandlerState::kFinished) co_await await_handler();
  const bool is_body_whole = !is_streamed_ || co_await end_stream();
  borrow_for_answer();

  ResponseFraming framing{
      .keep_alive = parser_.framing().keep_alive && is_body_whole && !worker.is_stopping() && !connection_.is_spare(),
      .is_http_1_0 = parser_.framing().is_http_1_0};
  if (response_.source) co_return co_await answer_from_source(framing);
  append_response_head(output_, response_, framing, date_now());
  std::string_view separate_body;
  if (body_is_sent(parser_.request().method, response_.status)) {
    if (response_.body.size() <= kAppendedBodyBytesMax) {
      output_.append(response_.body);
    } else {
      separate_body = response_.body;
    }
  }
  parser_.next(input_);
  input_.shrink();
  bool must_send = !framing.keep_alive || !separate_body.empty() || output_.size() >= kOutputBytesMax;
  if (must_send && !co_await connection_.send(output_, separate_body)) co_return false;
  if (response_.body.capacity() > kUncountedBytes) response_.release();
  connection_.give_memory_back();
  if (!framing.keep_alive) end_ = End::kLingering;
  co_return framing.keep_alive;
}

Task<bool> HttpSession::await_handler() {
  // Earlier answers do not wait for this one. Whether or not they arrive, the handler must finish first.
  bool is_sent = output_.empty() || co_await connection_.send(output_);
  co_await HandlerFinished{*this};
  co_return is_sent;
}

void HttpSession::begin_stream() {
  parser_.begin_stream(input_, streamed_bytes_max_);
  parser_.request().streamed_body = this;
  input_.reserve(kStreamedBytesMax / 2);
  is_body_whole_ = false;
  piece_bytes_ = 0;
  connection_.begin_work();
}

void HttpSession::next(OnPiece on_piece) {
  pieces_asked_.fetch_add(1, std::memory_order_relaxed);
  connection_.worker().loop().post([this, asked = std::move(on_piece)]() mutable { deliver(std::move(asked)); });
}

Detached HttpSession::deliver(OnPiece on_piece) {
  on_piece(co_await next_piece());
  pieces_asked_.fetch_sub(1, std::memory_order_relaxed);
  is_delivered_.set();
}

Task<Result<std::string_view>> HttpSession::next_piece() {
  parser_.take_piece(input_, std::exchange(piece_bytes_, 0));
  while (true) {
    std::string_view piece;
    const HttpParser::Progress progress = parser_.advance_stream(input_, piece);
    if (progress == HttpParser::Progress::kFailed) {
      Worker::Counters::add(connection_.worker().counters().malformed_requests);
      co_return fail(ErrorCode::kInvalidInput, parser_.failure().message);
    }
    is_body_whole_ = progress == HttpParser::Progress::kComplete;
    piece_bytes_ = piece.size();
    if (is_body_whole_ || !piece.empty()) co_return piece;
    connection_.resume_transfer();
    const bool is_received = co_await connection_.receive_more();
    connection_.pause_transfer();
    connection_.end_message();
    if (is_received) continue;
    co_return fail(connection_.is_expired() ? ErrorCode::kTimeout : ErrorCode::kUnavailable,
                   connection_.is_expired() ? "the body did not arrive in time" : "the client is gone");
  }
}

// A handler may be done in the midst of a body; whoever it asked for a piece is waited for. The rest is not looked at.
Task<bool> HttpSession::end_stream() {
  while (pieces_asked_.load(std::memory_order_relaxed) > 0) co_await is_delivered_;
  connection_.end_transfer();
  connection_.end_message();
  connection_.end_work();
  // All that was announced may be there without the handler having asked whether more comes.
  std::string_view piece;
  if (!is_body_whole_) parser_.take_piece(input_, std::exchange(piece_bytes_, 0));
  if (!is_body_whole_) is_body_whole_ = parser_.advance_stream(input_, piece) == HttpParser::Progress::kComplete;
  co_return is_body_whole_;
}

Task<bool> HttpSession::answer_from_source(ResponseFraming framing) {
  // Destroyed here, whatever happens: that tells it that nobody wants more.
  std::shared_ptr<ResponseSource> source = std::move(response_.source);
  const bool is_chunked = !response_.source_bytes && !framing.is_http_1_0;
  framing.is_streamed = true;
  framing.keep_alive = framing.keep_alive && (is_chunked || response_.source_bytes);
  append_response_head(output_, response_, framing, date_now());
  const bool has_body = body_is_sent(parser_.request().method, response_.status);
  parser_.next(input_);
  input_.shrink();
  const bool is_sent =
      has_body ? co_await send_source(*source, is_chunked, response_.source_bytes) : co_await connection_.send(output_);
  source.reset();
  connection_.give_memory_back();
  if (!is_sent) {
    connection_.reset_on_close();
    co_return false;
  }
  if (!framing.keep_alive) end_ = End::kLingering;
  co_return framing.keep_alive;
}

Task<bool> HttpSession::send_source(ResponseSource& source, bool is_chunked, std::optional<uint64_t> rest_bytes) {
  std::string piece;
  while (true) {
    piece.clear();
    source.make(piece, MadeSignal(this));
    co_await is_made_;
    const bool is_end = made_ == ResponseSource::Progress::kEnd;
    const bool is_too_long = rest_bytes && piece.size() > *rest_bytes;
    if (made_ == ResponseSource::Progress::kFailed || is_too_long) co_return false;
    if (rest_bytes) *rest_bytes -= piece.size();
    if (is_end && rest_bytes.value_or(0) > 0) co_return false;
    if (!connection_.borrow(piece.capacity() + (connection_.is_tls() ? kEncryptionBytes : 0))) {
      connection_.note_refusal();
      co_return false;
    }
    if (is_chunked && !piece.empty()) {
      output_.append(fmt::format("{:x}\r\n", piece.size()));
      piece.append("\r\n");
    }
    if (is_chunked && is_end) piece.append("0\r\n\r\n");
    if (!(output_.empty() && piece.empty()) && !co_await connection_.send(output_, piece)) co_return false;
    if (is_end) co_return true;
  }
}

Task<bool> HttpSession::refuse(HttpFailure failure) {
  fill_failure(response_, failure);
  co_return co_await refuse_with_response(true);
}

Task<bool> HttpSession::refuse_with_response(bool is_body_coming) {
  connection_.end_transfer();
  append_response_head(output_, response_, {.keep_alive = false}, date_now());
  output_.append(response_.body);
  if (co_await connection_.send(output_) && (!is_body_coming || co_await drop_body())) end_ = End::kLingering;
  co_return false;
}

// A client that writes its body before it reads would find the connection closed instead of the answer.
Task<bool> HttpSession::drop_body() {
  const size_t announced = parser_.has_head() ? parser_.request().announced_bytes.value_or(0) : 0;
  if (announced == 0 || announced > wire_.limits().body_bytes_max) co_return true;
  co_return co_await connection_.drop(parser_.head_bytes() + announced);
}

void HttpSession::say_last(const HttpFailure& failure) {
  fill_failure(response_, failure);
  append_response_head(output_, response_, {.keep_alive = false}, date_now());
  output_.append(response_.body);
  connection_.send_at_once(output_);
}

void HttpSession::release_idle_memory() {
  std::string().swap(output_);
  response_.release();
  std::vector<HttpHeader>().swap(parser_.request().headers);  // an assignment of nothing would keep the memory
}

}  // namespace partita::net
