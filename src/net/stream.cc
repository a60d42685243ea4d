#include "net/stream.h"

#include <boost/asio/buffer.hpp>

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <utility>

namespace partita::net {
namespace {

constexpr size_t kReceiveBytesMin = 4 * 1024;
constexpr size_t kEncryptBytesMax = 64 * 1024;  // at a time, so that a large body is not held twice

// What the socket takes now: 0 when it is full, nothing when it is broken.
std::optional<size_t> send_now(int socket, std::string_view first, std::string_view second) {
  constexpr int kFlags = MSG_NOSIGNAL | MSG_DONTWAIT;
  if (first.empty()) std::swap(first, second);
  iovec pieces[2] = {{const_cast<char*>(first.data()), first.size()}, {const_cast<char*>(second.data()), second.size()}};
  msghdr message{};
  message.msg_iov = pieces;
  message.msg_iovlen = 2;
  while (true) {
    ssize_t sent = second.empty() ? ::send(socket, first.data(), first.size(), kFlags) : ::sendmsg(socket, &message, kFlags);
    if (sent >= 0) return static_cast<size_t>(sent);
    if (errno == EAGAIN || errno == EWOULDBLOCK) return 0;
    if (errno != EINTR) return std::nullopt;
  }
}

}  // namespace

struct Stream::Receipt {
  Stream& stream;
  std::span<char> room;
  ErrorCondition error{};
  size_t bytes = 0;

  bool await_ready() const { return false; }
  void await_suspend(std::coroutine_handle<> awaiter) {
    stream.socket_.async_read_some(asio::buffer(room.data(), room.size()), [this, awaiter](ErrorCondition condition, size_t count) {
      error = condition;
      bytes = count;
      awaiter.resume();
    });
  }
  size_t await_resume() const { return error || stream.is_cancelled_ ? 0 : bytes; }
};

struct Stream::Writable {
  Stream& stream;
  ErrorCondition error{};

  bool await_ready() const { return false; }
  void await_suspend(std::coroutine_handle<> awaiter) {
    stream.socket_.async_wait(Socket::wait_write, [this, awaiter](ErrorCondition condition) {
      error = condition;
      awaiter.resume();
    });
  }
  bool await_resume() const { return !error && !stream.is_cancelled_; }
};

Task<bool> Stream::receive(InputBuffer& input) {
  if (is_cancelled_) co_return false;
  if (tls_) co_return co_await receive_ciphertext(input);
  size_t bytes = co_await Receipt{*this, input.prepare(kReceiveBytesMin)};
  input.commit(bytes);
  co_return bytes > 0;
}

Task<bool> Stream::receive_ciphertext(InputBuffer& input) {
  while (true) {
    switch (tls_->decrypt(input)) {
      case TlsSession::Progress::kDone: co_return true;
      case TlsSession::Progress::kClosed: co_return false;
      case TlsSession::Progress::kNeedMore: break;
    }
    // Answers of the protocol itself, such as a key update.
    if (!tls_->ciphertext().empty() && !co_await send_ciphertext()) co_return false;
    size_t bytes = co_await Receipt{*this, encrypted_input_.prepare(kReceiveBytesMin)};
    if (bytes == 0) co_return false;
    encrypted_input_.commit(bytes);
    tls_->receive(encrypted_input_.view());
    encrypted_input_.consume(bytes);
  }
}

Task<bool> Stream::start_tls(const TlsContext& context, InputBuffer& input) {
  tls_ = std::make_unique<TlsSession>(context);
  tls_->receive(input.view());
  input.consume(input.size());
  while (true) {
    TlsSession::Progress progress = tls_->handshake();
    // Also an alert that says why the handshake failed.
    if (!tls_->ciphertext().empty() && !co_await send_ciphertext()) co_return false;
    if (progress != TlsSession::Progress::kNeedMore) co_return progress == TlsSession::Progress::kDone;
    size_t bytes = co_await Receipt{*this, encrypted_input_.prepare(kReceiveBytesMin)};
    if (bytes == 0) co_return false;
    encrypted_input_.commit(bytes);
    tls_->receive(encrypted_input_.view());
    encrypted_input_.consume(bytes);
  }
}

Task<bool> Stream::send(std::string_view first, std::string_view second) {
  if (is_cancelled_) co_return false;
  if (!tls_) co_return co_await send_plain(first, second);
  co_return co_await send_encrypted(first) && co_await send_encrypted(second);
}

Task<bool> Stream::send_plain(std::string_view first, std::string_view second) {
  while (!first.empty() || !second.empty()) {
    std::optional<size_t> sent = send_now(socket_.native_handle(), first, second);
    if (!sent) co_return false;
    if (*sent == 0 && !co_await Writable{*this}) co_return false;
    size_t from_first = std::min(*sent, first.size());
    first.remove_prefix(from_first);
    second.remove_prefix(*sent - from_first);
  }
  co_return true;
}

Task<bool> Stream::send_encrypted(std::string_view plaintext) {
  while (!plaintext.empty()) {
    std::string_view piece = plaintext.substr(0, kEncryptBytesMax);
    if (!tls_->encrypt(piece) || !co_await send_ciphertext()) co_return false;
    plaintext.remove_prefix(piece.size());
  }
  co_return true;
}

Task<bool> Stream::send_ciphertext() {
  while (!tls_->ciphertext().empty()) {
    std::optional<size_t> sent = send_now(socket_.native_handle(), tls_->ciphertext(), {});
    if (!sent) co_return false;
    if (*sent == 0 && !co_await Writable{*this}) co_return false;
    tls_->consume_ciphertext(*sent);
  }
  co_return true;
}

void Stream::send_at_once(std::string_view text) {
  if (tls_ && !tls_->encrypt(text)) return;
  send_now(socket_.native_handle(), tls_ ? tls_->ciphertext() : text, {});
}

void Stream::cancel() {
  is_cancelled_ = true;
  ErrorCondition ignored;
  socket_.cancel(ignored);
}

void Stream::reset_on_close() {
  ErrorCondition ignored;
  socket_.set_option(Socket::linger(true, 0), ignored);
}

void Stream::shutdown_send() {
  if (tls_) {
    tls_->close();
    send_now(socket_.native_handle(), tls_->ciphertext(), {});
  }
  ErrorCondition ignored;
  socket_.shutdown(Socket::shutdown_send, ignored);
}

}  // namespace partita::net
