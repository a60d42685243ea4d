#include "net/connection.h"

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
constexpr std::chrono::milliseconds kSpareTimeout{2000};  // for the request of a connection over the limit
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

Connection::Connection(std::shared_ptr<HttpWorker> worker, FileDescriptor socket, std::string peer_address, bool is_spare)
    : worker_(std::move(worker)),
      stream_(worker_->loop(), std::move(socket)),
      peer_address_(std::move(peer_address)),
      is_spare_(is_spare),
      waiting_since_(worker_->loop().last_tick()),
      loan_(worker_->server().memory, 0),
      parser_(worker_->server().limits) {
  clear_deadline();
  parser_.request().peer_address = peer_address_;
  parser_.request().is_abandoned = &stream_.has_peer_closed();
  worker_->enter(*this);
}

Connection::~Connection() { worker_->leave(*this); }

void Connection::start(std::shared_ptr<HttpWorker> worker, FileDescriptor socket, std::string peer_address, bool is_spare) {
  run(std::unique_ptr<Connection>(new Connection(std::move(worker), std::move(socket), std::move(peer_address), is_spare)));
}

Detached Connection::run(std::unique_ptr<Connection> self) {
  std::shared_ptr<HttpWorker> worker = self->worker_;
  co_await self->serve();
  self.reset();
  worker->connection_closed();
}

Task<bool> Connection::serve() {
  if (!co_await open()) co_return false;
  while (co_await receive_request()) {
    if (is_turned_away()) co_return co_await refuse({503, "the server has as many connections as it is allowed to have"});
    if (!co_await answer()) co_return false;
  }
  co_return true;
}

bool Connection::is_turned_away() {
  if (!is_spare_) return false;
  const ServerContext& server = worker_->server();
  is_spare_ = server.connections.open() > server.limits.connections_max;
  const bool is_turned_away = is_spare_ && !server.handler.is_vital(parser_.request());
  if (is_turned_away) count(worker_->counters().turned_away);
  return is_turned_away;
}

Task<bool> Connection::open() {
  const ServerContext& server = worker_->server();
  set_deadline(is_spare_ ? std::min(kSpareTimeout, server.limits.idle_timeout) : server.limits.idle_timeout);
  if (!co_await receive_more()) co_return false;
  if (input_.view().front() != kTlsHandshakeRecord || !server.tls) co_return true;
  set_deadline(is_spare_ ? std::min(kSpareTimeout, server.limits.request_timeout) : server.limits.request_timeout);
  is_waiting_ = true;
  bool is_open = co_await stream_.start_tls(*server.tls, input_);
  is_waiting_ = false;
  if (is_expired_) count(worker_->counters().timeouts);
  parser_.request().is_tls = true;
  co_return is_open;
}

Task<bool> Connection::receive_more() {
  is_waiting_ = true;
  waiting_since_ = worker_->loop().last_tick();
  if (worker_->is_stopping() && input_.empty()) stream_.cancel();
  bool received = co_await stream_.receive(input_);
  is_waiting_ = false;
  if (is_expired_) count(worker_->counters().timeouts);
  co_return received;
}

Task<bool> Connection::receive_request() {
  const HttpLimits& limits = worker_->server().limits;
  const auto request_timeout = is_spare_ ? std::min(kSpareTimeout, limits.request_timeout) : limits.request_timeout;
  std::optional<EventLoop::SteadyTime> overdue;  // once the request has begun
  is_body_admitted_ = false;
  while (true) {
    const HttpParser::Progress progress = parser_.advance(input_);
    if (progress == HttpParser::Progress::kComplete) {
      transfer_.reset();
      co_return true;
    }
    if (progress == HttpParser::Progress::kFailed) {
      count(worker_->counters().malformed_requests);
      co_return co_await refuse(parser_.failure());
    }
    const bool is_client_waiting = progress == HttpParser::Progress::kNeedContinue;
    if (!make_room(is_client_waiting)) co_return co_await refuse_with_response(!is_client_waiting);
    if (is_client_waiting) output_.append(kContinue);
    if (!output_.empty() && !co_await send_output({})) co_return false;
    if (!input_.empty() && !overdue) overdue = worker_->loop().deadline_after(request_timeout);
    deadline_ = overdue.value_or(worker_->loop().deadline_after(limits.idle_timeout));
    if (co_await receive_more()) continue;
    if (is_expired_ && overdue) say_last({408, "the request did not arrive in time"});
    co_return false;
  }
}

bool Connection::make_room(bool is_client_waiting) {
  if (!parser_.has_head()) return input_.size() <= kUncountedBytes || borrow(2 * worker_->server().limits.header_bytes_max);
  const std::optional<size_t> announced = parser_.request().announced_bytes;
  if (!is_body_admitted_) {
    const bool is_small = announced && *announced <= kUncountedBytes;
    if (is_small && !is_client_waiting) return true;
    return admit_body();
  }
  if (announced || input_.room() >= kReceiptBytesMax) return true;
  const size_t larger = std::max(2 * input_.capacity(), input_.size() + kReceiptBytesMax);
  if (!borrow(kBodyCopies * larger)) return false;
  input_.reserve(larger);
  return true;
}

bool Connection::admit_body() {
  const ServerContext& server = worker_->server();
  const HttpRequest& head = parser_.request();
  response_.clear();
  const HttpAdmission admission = server.handler.admit(head, response_);
  if (!admission.is_admitted) return false;
  is_body_admitted_ = true;
  parser_.limit_body(admission.body_bytes_max);
  loan_ = MemoryLoan(server.memory, server.handler.tenant_of(head));
  const size_t whole = parser_.head_bytes() + head.announced_bytes.value_or(kUncountedBytes) + kReceiptBytesMax;
  if (!borrow(kBodyCopies * whole)) return false;
  input_.reserve(whole);
  begin_transfer();
  return true;
}

bool Connection::borrow(size_t bytes) {
  if (loan_.grow_to(bytes)) return true;
  answer_busy();
  return false;
}

void Connection::borrow_for_answer() {
  const size_t bytes = response_.body.capacity();
  if (bytes <= kUncountedBytes) return;
  const ServerContext& server = worker_->server();
  if (loan_.bytes() == 0) loan_ = MemoryLoan(server.memory, server.handler.tenant_of(parser_.request()));
  if (loan_.grow_to(bytes + (stream_.is_encrypted() ? kEncryptionBytes : 0))) return;
  response_.release();
  answer_busy();
}

void Connection::answer_busy() {
  const ServerContext& server = worker_->server();
  server.note_shortage(loan_.tenant(), worker_->loop().last_tick());
  count(worker_->counters().refused_for_memory);
  server.handler.answer_busy(response_);
}

Task<bool> Connection::answer() {
  clear_deadline();
  count(worker_->counters().requests);
  response_.clear();
  parser_.request().is_alone = worker_->connection_count() == 1;
  handler_state_.store(HandlerState::kAtWork, std::memory_order_relaxed);
  worker_->server().handler.handle(parser_.request(), response_, DoneSignal(this));
  if (handler_state_.load(std::memory_order_acquire) != HandlerState::kFinished) co_await await_handler();
  borrow_for_answer();

  ResponseFraming framing{.keep_alive = parser_.framing().keep_alive && !worker_->is_stopping() && !is_spare_,
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
  input_.shrink();
  bool must_send = !framing.keep_alive || !separate_body.empty() || output_.size() >= kOutputBytesMax;
  if (must_send && !co_await send_output(separate_body)) co_return false;
  if (response_.body.capacity() > kUncountedBytes) response_.release();
  loan_.shrink_to(0);
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
  if (!body.empty()) begin_transfer();
  bool is_sent = co_await stream_.send(output_, body);
  if (!body.empty()) transfer_.reset();
  is_sending_ = false;
  clear_deadline();
  if (is_expired_) {
    count(worker_->counters().timeouts);
    stream_.reset_on_close();
  }
  output_.clear();
  if (output_.capacity() > 4 * kOutputBytesMax) output_.shrink_to_fit();
  co_return is_sent;
}

Task<bool> Connection::refuse(HttpFailure failure) {
  fill_failure(response_, failure);
  co_return co_await refuse_with_response(true);
}

Task<bool> Connection::refuse_with_response(bool is_body_coming) {
  transfer_.reset();
  append_response_head(output_, response_, {.keep_alive = false}, worker_->date());
  output_.append(response_.body);
  if (co_await send_output({}) && (!is_body_coming || co_await drop_body())) co_await linger();
  co_return false;
}

// A client that writes its body before it reads would find the connection closed instead of the answer.
Task<bool> Connection::drop_body() {
  const size_t announced = parser_.has_head() ? parser_.request().announced_bytes.value_or(0) : 0;
  if (announced == 0 || announced > worker_->server().limits.body_bytes_max) co_return true;
  const size_t whole = parser_.head_bytes() + announced;
  set_deadline(kLingerTime);
  for (size_t seen = input_.size(); seen < whole; seen += input_.size()) {
    input_.consume(input_.size());
    input_.shrink();
    if (!co_await stream_.receive(input_)) co_return false;
  }
  co_return true;
}

Task<bool> Connection::linger() {
  stream_.shutdown_send();
  set_deadline(kLingerTime);
  do {
    input_.consume(input_.size());
    input_.shrink();
  } while (co_await stream_.receive(input_));
  co_return false;
}

void Connection::say_last(const HttpFailure& failure) {
  fill_failure(response_, failure);
  append_response_head(output_, response_, {.keep_alive = false}, worker_->date());
  output_.append(response_.body);
  stream_.send_at_once(output_);
}

void Connection::begin_transfer() { transfer_ = Transfer{worker_->loop().last_tick(), moved_bytes()}; }

bool Connection::is_too_slow(EventLoop::SteadyTime now) const {
  if (!transfer_ || loan_.bytes() == 0) return false;
  const ServerContext& server = worker_->server();
  const HttpLimits& limits = server.limits;
  const auto passed = std::chrono::duration_cast<std::chrono::milliseconds>(now - transfer_->since);
  const auto moved = static_cast<double>(moved_bytes() - transfer_->moved_before);
  const auto is_slower_than = [&](size_t bytes_per_second, std::chrono::milliseconds grace) {
    return passed > grace && moved < static_cast<double>(bytes_per_second) * std::chrono::duration<double>(passed).count();
  };
  if (is_slower_than(limits.bytes_per_second_min, limits.slow_grace)) return true;
  return server.is_short(loan_.tenant(), now) &&
         is_slower_than(limits.bytes_per_second_min_when_short, limits.slow_grace_when_short);
}

void Connection::expire() {
  clear_deadline();
  transfer_.reset();
  is_expired_ = true;
  stream_.cancel();
}

void Connection::expire_if_overdue(EventLoop::SteadyTime now) {
  if (is_too_slow(now)) return expire();
  if (now < deadline_) return;
  if (is_sending_ && std::exchange(sent_bytes_seen_, stream_.sent_bytes()) < stream_.sent_bytes()) {
    set_deadline(worker_->server().limits.response_timeout);
    return;
  }
  expire();
}

void Connection::release_if_idle() {
  const bool has_moved = std::exchange(moved_when_seen_, moved_bytes()) != moved_bytes();
  if (has_moved || !is_idle() || (input_.capacity() == 0 && output_.capacity() == 0)) return;
  input_.release();
  std::string().swap(output_);
  response_.release();
  std::vector<HttpHeader>().swap(parser_.request().headers);  // an assignment of nothing would keep the memory
  stream_.release_idle_memory();
}

void Connection::close_if_idle() {
  if (is_idle()) stream_.cancel();
}

}  // namespace partita::net
