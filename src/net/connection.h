#pragma once

#include "base/fair_memory.h"
#include "net/input_buffer.h"
#include "net/stream.h"
#include "net/task.h"
#include "net/wire.h"
#include "net/worker.h"

#include <atomic>
#include <chrono>
#include <coroutine>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace partita::net {

// Connection: one peer from accept to close, whatever it speaks: finds out whether that is in TLS and which wire it is, and lets
// a session of that wire do the rest. Lives in its own coroutine, on its event loop's thread.
//
// 1. Every wait for the peer has a deadline, and what is counted in memory moves at a minimum rate; one tick per thread checks.
// 2. What it holds beyond a few times kUncountedBytes is counted in loan_, before it is there. A session that would receive more
//    without having borrowed it is cut off.
// 3. The session is told by a failing receipt or sending that the peer is gone, too slow, or that the server ends. Whoever works
//    for it on other threads is told by has_peer_closed().
class Connection {
 public:
  // One that is `is_spare` is over the limit.
  static void start(std::shared_ptr<Worker> worker, const Wires& wires, FileDescriptor socket, std::string peer_address,
                    bool is_spare);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // For its session.

  Worker& worker() const { return *worker_; }
  // Whoever may post to the loop after the session ended must hold this.
  const std::shared_ptr<Worker>& shared_worker() const { return worker_; }
  const std::string& peer_address() const { return peer_address_; }
  bool is_tls() const { return stream_.is_encrypted(); }
  // Becomes true when the peer sends nothing more, the connection broke or was aborted. On any thread.
  const std::atomic<bool>& has_peer_closed() const { return stream_.has_peer_closed(); }
  // Whether there are more connections than allowed, and this one came when it was so. Looks anew.
  bool is_over_limit();
  bool is_spare() const { return is_spare_; }

  // Received and not yet consumed.
  InputBuffer& input() { return input_; }
  // Appends at least one byte. False: the peer closed, was too slow, or the server ends.
  //
  // While nothing is in input() that may take idle_timeout. From the first wait with something there until end_message() it is in
  // the midst of a message, which may take message_timeout in all.
  Task<bool> receive_more();
  void end_message() { overdue_ = kNever; }
  bool is_in_message() const { return overdue_ != kNever; }
  // Whether a deadline ended it.
  bool is_expired() const { return is_expired_; }
  // For a wire whose peers may be silent for longer, or not so long.
  void set_idle_timeout(std::chrono::milliseconds timeout) { idle_timeout_ = timeout; }
  // Sends both in order, and clears what was gathered. False as above. The separate part counts as borrowed.
  Task<bool> send(std::string& gathered, std::string_view separate = {});
  // What the peer's system has not confirmed of what was sent.
  size_t unconfirmed_bytes() const { return stream_.unconfirmed_bytes(); }
  // As much as the socket takes now, also after the connection was cut off.
  void send_at_once(std::string_view text) { stream_.send_at_once(text); }
  // Receives so many bytes, within a short time, and keeps none. False as receive_more().
  Task<bool> drop(size_t bytes);
  // Closing drops what the peer did not read yet: it learns that this was not the end.
  void reset_on_close() { stream_.reset_on_close(); }

  // Somebody works for the peer, so that a silent one is not idle: neither its deadline ends it, nor does it give way.
  void begin_work() { ++works_; }
  void end_work();

  enum class Memory { kGranted, kAwaited, kRefused };
  // Gives back what is borrowed; from now on it is borrowed in the name of this tenant.
  void borrow_as(uint64_t tenant);
  // So many bytes in all. False: there are none.
  [[nodiscard]] bool borrow(size_t bytes, FairMemory::Claim claim = FairMemory::Claim::kShare) {
    return loan_.grow_to(bytes, claim);
  }
  // kAwaited: await_memory() is to be called next.
  Memory borrow_or_wait(size_t bytes);
  // Sends what was gathered, then waits for memory_timeout at most. False: there is none.
  Task<bool> await_memory(std::string& gathered);
  size_t borrowed_bytes() const { return loan_.bytes(); }
  // Slow peers of the tenant are told to go.
  void note_shortage() const { note_shortage(loan_); }
  // The same, and counts that something was refused.
  void note_refusal() { note_refusal(loan_); }
  void give_memory_back() { give_back(loan_); }
  // For a session with several messages at hand, which have loans of their own. The connection's is for what is on its way.
  MemoryLoan loan_of(uint64_t tenant) const { return {worker_->server().memory, tenant}; }
  MemoryLoan take_loan() { return std::exchange(loan_, MemoryLoan()); }
  void lend(MemoryLoan loan);
  void give_back(MemoryLoan& loan) const;
  void note_refusal(const MemoryLoan& loan);
  // What is borrowed is on its way, and has to move.
  void begin_transfer() { transfer_ = Transfer{worker_->loop().last_tick(), moved_bytes()}; }
  void end_transfer() { transfer_.reset(); }
  // Between these it is not the peer that is waited for.
  void pause_transfer();
  void resume_transfer();

  // From the worker, on its thread.

  void expire_if_overdue(EventLoop::SteadyTime now);
  // Receives no further message; what is being sent still arrives.
  void close_if_idle();
  // Closes it now; whoever works for it learns that nobody waits.
  void abort();
  // Gives back buffers that have not been used since the last call.
  void release_if_idle();
  // Since when it has been waiting for its peer to begin or complete a small message; nothing: it is not.
  std::optional<EventLoop::SteadyTime> waiting_since() const {
    return is_waiting_ && works_ == 0 && !transfer_ ? std::optional(waiting_since_) : std::nullopt;
  }
  // Closes it to make room for others. REQUIRES: waiting_since().
  void give_way() { stream_.cancel(); }
  size_t place() const { return place_; }
  void set_place(size_t place) { place_ = place; }

 private:
  struct MemoryGranted;

  static constexpr EventLoop::SteadyTime kNever = EventLoop::SteadyTime::max();

  // Something that is counted, on its way.
  struct Transfer {
    EventLoop::SteadyTime since;
    uint64_t moved_before = 0;  // of moved_bytes()
    std::optional<EventLoop::SteadyTime> paused = {};
  };

  // Somebody who waits for memory.
  struct MemoryWait {
    MemoryQueue::Waiter waiter;
    bool is_granted = false;
    std::coroutine_handle<> awaiter = nullptr;
  };

  Connection(std::shared_ptr<Worker> worker, const Wires& wires, FileDescriptor socket, std::string peer_address, bool is_spare);
  static Detached run(std::unique_ptr<Connection> self);

  Task<bool> serve();
  // Tells TLS from plain by the first byte.
  Task<bool> open();
  // By the first bytes. Null: nobody speaks that here, or they did not come.
  Task<Wire*> find_wire();
  // Reads on for a while before closing: closing with unread input resets the connection, and what was sent last could be lost.
  Task<bool> linger();

  bool is_idle() const { return is_waiting_ && works_ == 0 && input_.empty(); }
  bool holds_more_than_borrowed() const;
  void note_shortage(const MemoryLoan& loan) const;
  std::chrono::milliseconds patience(std::chrono::milliseconds timeout) const;
  EventLoop::SteadyTime deadline_after(std::chrono::milliseconds timeout) { return worker_->loop().deadline_after(timeout); }
  uint64_t moved_bytes() const { return stream_.sent_bytes() + stream_.received_bytes(); }
  bool is_too_slow(EventLoop::SteadyTime now) const;
  void expire();
  void stop_waiting_for_memory();

  std::shared_ptr<Worker> worker_;
  const Wires& wires_;
  Stream stream_;
  std::string peer_address_;
  bool is_spare_;
  size_t place_ = 0;  // in the worker's list
  std::chrono::milliseconds idle_timeout_;
  EventLoop::SteadyTime receive_deadline_ = kNever;  // also of a wait for memory
  EventLoop::SteadyTime send_deadline_ = kNever;
  EventLoop::SteadyTime overdue_ = kNever;  // once a message has begun
  bool is_waiting_ = false;                 // for a message or more of it, or for a handshake
  EventLoop::SteadyTime waiting_since_;
  size_t works_ = 0;
  MemoryLoan loan_;
  std::optional<MemoryWait> memory_wait_;
  std::optional<Transfer> transfer_;
  uint64_t moved_when_seen_ = 0;  // by release_if_idle()
  bool is_released_ = false;      // likewise
  bool is_expired_ = false;       // a deadline passed
  bool is_lingering_ = false;
  uint64_t sent_bytes_seen_ = 0;  // when a deadline passed while sending
  InputBuffer input_;
  std::unique_ptr<Session> session_;
};

}  // namespace partita::net
