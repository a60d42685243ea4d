#pragma once

#include "net/event_loop.h"
#include "net/file_descriptor.h"
#include "net/input_buffer.h"
#include "net/task.h"
#include "net/tls/tls.h"

#include <atomic>
#include <coroutine>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

namespace partita::net {

// Stream: a connected socket, with or without TLS. Used on its event loop's thread only.
//
// The socket is watched once, edge-triggered: a request costs one receive and one send, and none that finds nothing.
// One task may receive while another sends. Its owner must not end before both have. cancel() may be called while tasks are
// suspended; they fail then, and so does every later one.
class Stream final : private EventLoop::Watcher {
 public:
  // REQUIRES: a non-blocking socket.
  Stream(EventLoop& loop, FileDescriptor socket);
  ~Stream() { loop_.forget(socket_.get(), *this); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  // Appends at least one byte. False: the peer closed, the connection broke, or cancel() was called.
  Task<bool> receive(InputBuffer& input);
  // Sends both, in order. False as above.
  Task<bool> send(std::string_view first, std::string_view second);
  // Continues in TLS; what `input` holds is ciphertext and is taken out of it.
  Task<bool> start_tls(const TlsContext& context, InputBuffer& input);

  // As much as the socket takes now, also after cancel(): last words to a client that is cut off.
  void send_at_once(std::string_view text);

  void cancel();
  // The same for receiving only: what is being sent still arrives.
  void cancel_receiving();
  // Becomes true when the peer sends nothing more or the connection broke. On any thread.
  const std::atomic<bool>& has_peer_closed() const { return has_peer_closed_; }
  // Tells handlers that nobody waits for their answer any more.
  void abandon();
  // Given to the socket, and taken from it, so far.
  uint64_t sent_bytes() const { return sent_bytes_; }
  uint64_t received_bytes() const { return received_bytes_; }
  bool is_encrypted() const { return tls_ != nullptr; }
  // Of what was given to the socket: what the peer's system has not confirmed. It often does that when the peer reads.
  size_t unconfirmed_bytes() const;
  // Gives back memory that is not needed while nothing comes.
  void release_idle_memory() {
    if (encrypted_input_.empty()) encrypted_input_.release();
  }
  // Closing drops what the peer did not read yet, so that it holds no memory of ours.
  void reset_on_close();
  // Tells the peer that nothing more comes. Does not wait.
  void shutdown_send();

 private:
  // Awaited for bytes in a buffer; 0 as receive()'s false. Takes no memory before there is something to receive.
  struct Receipt;
  // Awaited until the socket takes more; false as above.
  struct Writable;
  // Who is suspended; null: nobody.
  struct Awaiters {
    std::coroutine_handle<> receiver;
    std::coroutine_handle<> sender;
    std::coroutine_handle<> answerer;  // a receiver that answers for TLS itself, such as a key update
  };

  void on_ready(uint32_t events) override;
  // Nothing: there is nothing now.
  std::optional<size_t> receive_now(InputBuffer& buffer);
  Task<bool> receive_ciphertext();
  Task<bool> send_plain(std::string_view first, std::string_view second);
  Task<bool> send_encrypted(std::string_view plaintext);
  Task<bool> send_ciphertext(std::coroutine_handle<>& awaiter);

  EventLoop& loop_;
  FileDescriptor socket_;
  std::unique_ptr<TlsSession> tls_;
  InputBuffer encrypted_input_;  // with TLS: received and not yet decrypted
  Awaiters awaiters_;
  uint64_t sent_bytes_ = 0;
  uint64_t received_bytes_ = 0;
  uint32_t receives_in_turn_ = 0;              // without giving others a turn
  bool may_be_readable_ = true;                // false: wait for the next edge
  std::atomic<bool> has_peer_closed_ = false;  // there may be no further edge
  bool is_cancelled_ = false;
  bool is_receiving_cancelled_ = false;  // also when is_cancelled_
};

}  // namespace partita::net
