#include "net/connection.h"

#include <algorithm>
#include <utility>

namespace partita::net {
namespace {

// Received and not borrowed: what comes with a small message whose receipt began below kUncountedBytes.
constexpr size_t kUncountedInputBytesMax = 4 * kUncountedBytes;
constexpr size_t kGatheredBytesKept = 4 * kUncountedBytes;
constexpr std::chrono::milliseconds kSpareTimeout{2000};  // for the message of a connection over the limit
constexpr std::chrono::milliseconds kLingerTime{2000};
constexpr char kTlsHandshakeRecord = 0x16;

}  // namespace

struct Connection::MemoryGranted {
  MemoryWait& wait;

  bool await_ready() const { return wait.is_granted; }
  void await_suspend(std::coroutine_handle<> awaiter) { wait.awaiter = awaiter; }
  bool await_resume() const { return wait.is_granted; }
};

Connection::Connection(std::shared_ptr<Worker> worker, const Wires& wires, FileDescriptor socket, std::string peer_address,
                       bool is_spare)
    : worker_(std::move(worker)),
      wires_(wires),
      stream_(worker_->loop(), std::move(socket)),
      peer_address_(std::move(peer_address)),
      is_spare_(is_spare),
      idle_timeout_(worker_->server().limits.idle_timeout),
      waiting_since_(worker_->loop().last_tick()),
      loan_(worker_->server().memory, 0) {
  worker_->enter(*this);
}

Connection::~Connection() {
  session_.reset();
  give_memory_back();
  worker_->leave(*this);
}

void Connection::start(std::shared_ptr<Worker> worker, const Wires& wires, FileDescriptor socket, std::string peer_address,
                       bool is_spare) {
  run(std::unique_ptr<Connection>(
      new Connection(std::move(worker), wires, std::move(socket), std::move(peer_address), is_spare)));
}

Detached Connection::run(std::unique_ptr<Connection> self) {
  std::shared_ptr<Worker> worker = self->worker_;
  co_await self->serve();
  self.reset();
  worker->connection_closed();
}

Task<bool> Connection::serve() {
  if (!co_await open()) co_return false;
  Wire* wire = co_await find_wire();
  if (wire == nullptr) co_return false;
  if (!wire->answers_over_limit() && is_over_limit()) {
    Worker::Counters::add(worker_->counters().turned_away);
    co_return false;
  }
  session_ = wire->open(*this);
  wire->connections_open_.fetch_add(1, std::memory_order_relaxed);
  const Session::End end = co_await session_->serve();
  wire->connections_open_.fetch_sub(1, std::memory_order_relaxed);
  if (end == Session::End::kLingering) co_await linger();
  co_return true;
}

Task<bool> Connection::open() {
  if (!co_await receive_more()) co_return false;
  const ServerContext& server = worker_->server();
  if (input_.view().front() != kTlsHandshakeRecord || !server.tls) co_return true;
  receive_deadline_ = deadline_after(patience(server.limits.message_timeout));
  is_waiting_ = true;
  const bool is_open = co_await stream_.start_tls(*server.tls, input_);
  is_waiting_ = false;
  receive_deadline_ = kNever;
  co_return is_open;
}

Task<Wire*> Connection::find_wire() {
  if (wires_.size() == 1) co_return wires_.front();
  while (true) {
    if (input_.empty() && !co_await receive_more()) co_return nullptr;
    bool needs_more = false;
    for (Wire* wire : wires_) {
      const Wire::Match match = wire->match(input_.view(), is_tls());
      needs_more = match == Wire::Match::kNeedMore && input_.size() < Wire::kFirstBytesMax;
      if (needs_more) break;
      if (match == Wire::Match::kYes) co_return wire;
    }
    if (needs_more && co_await receive_more()) continue;
    if (!needs_more) Worker::Counters::add(worker_->counters().malformed_requests);
    co_return nullptr;
  }
}

bool Connection::is_over_limit() {
  const ServerContext& server = worker_->server();
  if (is_spare_) is_spare_ = server.connections.open() > server.limits.connections_max;
  return is_spare_;
}

std::chrono::milliseconds Connection::patience(std::chrono::milliseconds timeout) const {
  return is_spare_ ? std::min(kSpareTimeout, timeout) : timeout;
}

bool Connection::holds_more_than_borrowed() const {
  return input_.size() > kUncountedInputBytesMax && loan_.bytes() < input_.size();
}

Task<bool> Connection::receive_more() {
  if (!input_.empty() && overdue_ == kNever) overdue_ = deadline_after(patience(worker_->server().limits.message_timeout));
  receive_deadline_ = overdue_ != kNever ? overdue_ : deadline_after(patience(idle_timeout_));
  is_waiting_ = true;
  waiting_since_ = worker_->loop().last_tick();
  if (worker_->is_stopping()) close_if_idle();
  if (holds_more_than_borrowed()) stream_.cancel();
  const bool received = co_await stream_.receive(input_);
  is_waiting_ = false;
  receive_deadline_ = kNever;
  co_return received;
}

Task<bool> Connection::send(std::string& gathered, std::string_view separate) {
  send_deadline_ = deadline_after(worker_->server().limits.send_timeout);
  if (!separate.empty()) begin_transfer();
  const bool is_sent = co_await stream_.send(gathered, separate);
  if (!separate.empty()) end_transfer();
  send_deadline_ = kNever;
  if (is_expired_) stream_.reset_on_close();
  gathered.clear();
  if (gathered.capacity() > kGatheredBytesKept) gathered.shrink_to_fit();
  co_return is_sent;
}

Task<bool> Connection::drop(size_t bytes) {
  is_lingering_ = true;
  receive_deadline_ = deadline_after(kLingerTime);
  for (size_t dropped = input_.size(); dropped < bytes; dropped += input_.size()) {
    input_.consume(input_.size());
    input_.shrink();
    if (!co_await stream_.receive(input_)) co_return false;
  }
  co_return true;
}

Task<bool> Connection::linger() {
  is_lingering_ = true;
  stream_.shutdown_send();
  receive_deadline_ = deadline_after(kLingerTime);
  do {
    input_.consume(input_.size());
    input_.shrink();
  } while (co_await stream_.receive(input_));
  co_return false;
}

void Connection::end_work() {
  --works_;
  if (worker_->is_stopping()) close_if_idle();
}

void Connection::borrow_as(uint64_t tenant) {
  give_memory_back();
  loan_ = MemoryLoan(worker_->server().memory, tenant);
}

Connection::Memory Connection::borrow_or_wait(size_t bytes) {
  const auto on_granted = [this] {
    worker_->loop().post([this] {
      memory_wait_->is_granted = true;
      if (memory_wait_->awaiter) memory_wait_->awaiter.resume();
    });
  };
  memory_wait_.emplace(MemoryQueue::Waiter{loan_, bytes, on_granted});
  const MemoryQueue::Outcome outcome = worker_->server().memory_queue.take(memory_wait_->waiter);
  if (outcome == MemoryQueue::Outcome::kWaiting) {
    note_shortage();
    return Memory::kAwaited;
  }
  memory_wait_.reset();
  return outcome == MemoryQueue::Outcome::kGranted ? Memory::kGranted : Memory::kRefused;
}

Task<bool> Connection::await_memory(std::string& gathered) {
  const ServerContext& server = worker_->server();
  // Earlier answers do not wait for this.
  const bool is_sent = gathered.empty() || co_await send(gathered);
  bool is_granted = false;
  if (is_sent || !server.memory_queue.give_up(memory_wait_->waiter)) {
    receive_deadline_ = deadline_after(server.limits.memory_timeout);
    is_granted = co_await MemoryGranted{*memory_wait_};
    receive_deadline_ = kNever;
  }
  memory_wait_.reset();
  co_return is_granted;
}

// Resumed after the others, because this is called while their list is gone through.
void Connection::stop_waiting_for_memory() {
  if (!memory_wait_ || !memory_wait_->awaiter) return;
  if (worker_->server().memory_queue.give_up(memory_wait_->waiter)) worker_->loop().defer(memory_wait_->awaiter);
}

void Connection::note_shortage(const MemoryLoan& loan) const {
  worker_->server().note_shortage(loan.tenant(), worker_->loop().last_tick());
}

void Connection::note_refusal(const MemoryLoan& loan) {
  note_shortage(loan);
  worker_->server().memory_queue.serve();  // what was tried to be taken may have been missing to others for that moment
  Worker::Counters::add(worker_->counters().refused_for_memory);
}

void Connection::lend(MemoryLoan loan) {
  give_memory_back();
  loan_ = std::move(loan);
}

void Connection::give_back(MemoryLoan& loan) const {
  if (loan.bytes() == 0) return;
  loan.shrink_to(0);
  worker_->server().memory_queue.serve();
}

void Connection::pause_transfer() {
  if (transfer_ && !transfer_->paused) transfer_->paused = worker_->loop().last_tick();
}

void Connection::resume_transfer() {
  if (!transfer_) return begin_transfer();
  if (transfer_->paused) transfer_->since += worker_->loop().last_tick() - *transfer_->paused;
  transfer_->paused.reset();
}

bool Connection::is_too_slow(EventLoop::SteadyTime now) const {
  if (!transfer_ || transfer_->paused || loan_.bytes() == 0) return false;
  const ServerContext& server = worker_->server();
  const StreamLimits& limits = server.limits;
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
  receive_deadline_ = send_deadline_ = kNever;
  transfer_.reset();
  is_expired_ = true;
  if (!is_lingering_) Worker::Counters::add(worker_->counters().timeouts);
  stream_.cancel();
}

void Connection::expire_if_overdue(EventLoop::SteadyTime now) {
  if (is_too_slow(now)) return expire();
  if (now >= send_deadline_) {
    if (std::exchange(sent_bytes_seen_, stream_.sent_bytes()) == stream_.sent_bytes()) return expire();
    send_deadline_ = deadline_after(worker_->server().limits.send_timeout);
  }
  if (now < receive_deadline_) return;
  if (memory_wait_ && memory_wait_->awaiter) {
    receive_deadline_ = kNever;
    return stop_waiting_for_memory();
  }
  const bool is_answered_first = works_ > 0 && !is_in_message();
  if (!is_answered_first) return expire();
  receive_deadline_ = deadline_after(patience(idle_timeout_));
}

void Connection::release_if_idle() {
  const bool has_moved = std::exchange(moved_when_seen_, moved_bytes()) != moved_bytes();
  if (has_moved) is_released_ = false;
  if (has_moved || is_released_ || !is_idle()) return;
  is_released_ = true;
  input_.release();
  stream_.release_idle_memory();
  if (session_) session_->release_idle_memory();
}

void Connection::close_if_idle() {
  if (is_idle()) stream_.cancel_receiving();
}

void Connection::abort() {
  stream_.abandon();
  stream_.cancel();
  stop_waiting_for_memory();
}

}  // namespace partita::net
