#include "net/connection.h"

#include <optional>
#include <utility>

namespace partita::net {
namespace {

constexpr size_t kOutputBytesMax = 64 * 1024;        // gathered before it is sent, and kept by an idle connection
constexpr size_t kAppendedBodyBytesMax = 16 * 1024;  // copied behind its head; a larger body is sent from where it is
constexpr std::chrono::milliseconds kLingerTime{2000};
constexpr char kTlsHandshakeRecord = 0x16;
constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

void count(std::atomic<uint64_t>& counter) {
  // Only the loop's thread writes.
  counter.store(counter.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

}  // namespace

// What a handler's HttpDone holds: one pointer, so that no allocation is needed. Dropped without a call it answers 500.
class Connection::DoneSignal {
 public:
  explicit DoneSignal(Connection* connection) : connection_(connection) {}
  DoneSignal(DoneSignal&& other) noexcept : connection_(std::exchange(other.connection_, nullptr)) {}
  DoneSignal& operator=(DoneSignal&&) = delete;
  ~DoneSignal() {
    if (connection_ != nullptr) connection_->finish_handler(true);
  }
  void operator()() {
    if (Connection* connection = std::exchange(connection_, nullptr)) connection->finish_handler(false);
  }

 private:
  Connection* connection_;
};

struct Connection::HandlerFinished {
  Connection& connection;

  bool await_ready() const { return connection.handler_state_.load(std::memory_order_acquire) == HandlerState::kFinished; }
  // False: it finished meanwhile, go on at once.
  bool await_suspend(std::coroutine_handle<> awaiter) {
    connection.handler_awaiter_ = awaiter;
    return connection.handler_state_.exchange(HandlerState::kAwaited, std::memory_order_acq_rel) != HandlerState::kFinished;
  }
  void await_resume() const {}
};

void Connection::finish_handler(bool is_abandoned) {
  if (is_abandoned) fill_failure(response_, {500, "the request was dropped without an answer"});
  // Once the state changes, the connection may go on and end on its own thread, and then the server may end.
  std::shared_ptr<HttpWorker> worker = worker_;
  if (handler_state_.exchange(HandlerState::kFinished, std::memory_order_acq_rel) == HandlerState::kAwaited)
    worker->loop().post([this] { handler_awaiter_.resume(); });
}

Connection::Connection(std::shared_ptr<HttpWorker> worker, FileDescriptor socket, std::string peer_address, bool is_refused)
    : worker_(std::move(worker)),
      stream_(worker_->loop(), std::move(socket)),
      peer_address_(std::move(peer_address)),
      is_refused_(is_refused),
      parser_(worker_->server().limits) {
  clear_deadline();
  parser_.request().peer_address = peer_address_;
  parser_.request().is_abandoned = &stream_.has_peer_closed();
  worker_->enter(*this);
}

Connection::~Connection() { worker_->leave(*this); }

void Connection::start(std::shared_ptr<HttpWorker> worker, FileDescriptor socket, std::string peer_address, bool is_refused) {
  run(std::unique_ptr<Connection>(new Connection(std::move(worker), std::move(socket), std::move(peer_address), is_refused)));
}

Detached Connection::run(std::unique_ptr<Connection> self) {
  std::shared_ptr<HttpWorker> worker = self->worker_;
  co_await self->serve();
  self.reset();
  worker->connection_closed();
}

Task<bool> Connection::serve() {
  if (!co_await open()) co_return false;
  if (is_refused_) co_return co_await refuse({503, "the server has as many connections as it is allowed to have"});
  while (co_await receive_request()) {
    if (!co_await answer()) co_return false;
  }
  co_return true;
}

Task<bool> Connection::open() {
  const ServerContext& server = worker_->server();
  set_deadline(server.limits.idle_timeout);
  if (!co_await receive_more()) co_return false;
  if (input_.view().front() != kTlsHandshakeRecord || !server.tls) co_return true;
  set_deadline(server.limits.request_timeout);
  bool is_open = co_await stream_.start_tls(*server.tls, input_);
  if (is_expired_) count(worker_->counters().timeouts);
  parser_.request().is_tls = true;
  co_return is_open;
}

Task<bool> Connection::receive_more() {
  is_waiting_ = true;
  if (worker_->is_stopping() && input_.empty()) stream_.cancel();
  bool received = co_await stream_.receive(input_);
  is_waiting_ = false;
  if (is_expired_) count(worker_->counters().timeouts);
  co_return received;
}

Task<bool> Connection::receive_request() {
  const HttpLimits& limits = worker_->server().limits;
  std::optional<EventLoop::SteadyTime> overdue;  // once the request has begun
  while (true) {
    switch (parser_.advance(input_)) {
      case HttpParser::Progress::kComplete: co_return true;
      case HttpParser::Progress::kFailed:
        count(worker_->counters().malformed_requests);
        co_return co_await refuse(parser_.failure());
      case HttpParser::Progress::kNeedContinue: output_.append(kContinue); break;
      case HttpParser::Progress::kNeedMore: break;
    }
    if (!output_.empty() && !co_await send_output({})) co_return false;
    if (!input_.empty() && !overdue) overdue = worker_->loop().deadline_after(limits.request_timeout);
    deadline_ = overdue.value_or(worker_->loop().deadline_after(limits.idle_timeout));
    if (co_await receive_more()) continue;
    if (is_expired_ && overdue) say_last({408, "the request did not arrive in time"});
    co_return false;
  }
}

Task<bool> Connection::answer() {
  clear_deadline();
  count(worker_->counters().requests);
  response_.clear();
  parser_.request().is_alone = worker_->connection_count() == 1;
  handler_state_.store(HandlerState::kAtWork, std::memory_order_relaxed);
  worker_->server().handler.handle(parser_.request(), response_, DoneSignal(this));
  if (handler_state_.load(std::memory_order_acquire) != HandlerState::kFinished) co_await await_handler();

  ResponseFraming framing{.keep_alive = parser_.framing().keep_alive && !worker_->is_stopping(),
                          .is_http_1_0 = parser_.framing().is_http_1_0};
  append_response_head(output_, response_, framing, worker_->date());
  std::string_view separate_body;
  if (body_is_sent(parser_.request().method, response_.status)) {
    if (response_.body.size() <= kAppendedBodyBytesMax) {
      output_.append(response_.body);
    } else {
      separate_body = response_.body;
    }
  }
  parser_.next(input_);
  bool must_send = !framing.keep_alive || !separate_body.empty() || output_.size() >= kOutputBytesMax;
  if (must_send && !co_await send_output(separate_body)) co_return false;
  if (framing.keep_alive) co_return true;
  co_return co_await linger();
}

Task<bool> Connection::await_handler() {
  // Earlier answers do not wait for this one. Whether or not they arrive, the handler must finish first.
  bool is_sent = output_.empty() || co_await send_output({});
  co_await HandlerFinished{*this};
  co_return is_sent;
}

Task<bool> Connection::send_output(std::string_view body) {
  set_deadline(worker_->server().limits.response_timeout);
  is_sending_ = true;
  bool is_sent = co_await stream_.send(output_, body);
  is_sending_ = false;
  clear_deadline();
  if (is_expired_) {
    count(worker_->counters().timeouts);
    stream_.reset_on_close();
  }
  output_.clear();
  if (output_.capacity() > 2 * kOutputBytesMax) output_.shrink_to_fit();
  if (body.size() > kOutputBytesMax) response_.body = std::string();
  co_return is_sent;
}

Task<bool> Connection::refuse(HttpFailure failure) {
  fill_failure(response_, failure);
  append_response_head(output_, response_, {.keep_alive = false}, worker_->date());
  output_.append(response_.body);
  if (co_await send_output({})) co_await linger();
  co_return false;
}

Task<bool> Connection::linger() {
  stream_.shutdown_send();
  set_deadline(kLingerTime);
  do {
    input_.consume(input_.size());
  } while (co_await stream_.receive(input_));
  co_return false;
}

void Connection::say_last(const HttpFailure& failure) {
  fill_failure(response_, failure);
  append_response_head(output_, response_, {.keep_alive = false}, worker_->date());
  output_.append(response_.body);
  stream_.send_at_once(output_);
}

void Connection::expire_if_overdue(EventLoop::SteadyTime now) {
  if (now < deadline_) return;
  if (is_sending_ && std::exchange(sent_bytes_seen_, stream_.sent_bytes()) < stream_.sent_bytes()) {
    set_deadline(worker_->server().limits.response_timeout);
    return;
  }
  clear_deadline();
  is_expired_ = true;
  stream_.cancel();
}

void Connection::close_if_idle() {
  if (is_idle()) stream_.cancel();
}

}  // namespace partita::net
