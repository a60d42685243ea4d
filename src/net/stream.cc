#include "net/stream.h"

#include <linux/sockios.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <utility>

namespace partita::net {
namespace {

constexpr size_t kReceiveBytesMin = 4 * 1024;
constexpr uint32_t kReceivesInTurnMax = 8;
constexpr uint32_t kBroken = EPOLLERR | EPOLLHUP;
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

Stream::Stream(EventLoop& loop, FileDescriptor socket) : loop_(loop), socket_(std::move(socket)) {
  is_cancelled_ = is_receiving_cancelled_ = !loop_.watch(socket_.get(), EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET, *this);
}

void Stream::on_ready(uint32_t events) {
  if (events & (EPOLLIN | EPOLLRDHUP | kBroken)) may_be_readable_ = true;
  if (events & (EPOLLRDHUP | kBroken)) abandon();
  // All are taken out first: each of them keeps the stream alive until it was resumed, the last one may end it.
  Awaiters resumed;
  if (events & (EPOLLIN | EPOLLRDHUP | kBroken)) resumed.receiver = std::exchange(awaiters_.receiver, nullptr);
  if (events & (EPOLLOUT | kBroken)) {
    resumed.sender = std::exchange(awaiters_.sender, nullptr);
    resumed.answerer = std::exchange(awaiters_.answerer, nullptr);
  }
  if (resumed.receiver) resumed.receiver.resume();
  if (resumed.sender) resumed.sender.resume();
  if (resumed.answerer) resumed.answerer.resume();
}

std::optional<size_t> Stream::receive_now(InputBuffer& buffer) {
  std::span<char> room = buffer.prepare(kReceiveBytesMin);
  while (true) {
    ssize_t bytes = ::recv(socket_.get(), room.data(), room.size(), MSG_DONTWAIT);
    if (bytes < 0 && errno == EINTR) continue;
    bool would_block = bytes < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
    // A short read empties the socket: what comes later makes a new edge, except an end that was announced already.
    if (would_block || (bytes >= 0 && static_cast<size_t>(bytes) < room.size()))
      may_be_readable_ = has_peer_closed_ && !would_block;
    if (would_block) return std::nullopt;
    buffer.commit(bytes < 0 ? 0 : static_cast<size_t>(bytes));
    received_bytes_ += bytes < 0 ? 0 : static_cast<size_t>(bytes);
    return bytes < 0 ? 0 : static_cast<size_t>(bytes);
  }
}

struct Stream::Receipt {
  Stream& stream;
  InputBuffer& buffer;
  std::optional<size_t> received{};

  bool await_ready() {
    if (!stream.may_be_readable_ || stream.receives_in_turn_ >= kReceivesInTurnMax) return false;
    ++stream.receives_in_turn_;
    received = stream.receive_now(buffer);
    return received.has_value();
  }
  void await_suspend(std::coroutine_handle<> awaiter) {
    stream.receives_in_turn_ = 0;
    if (stream.may_be_readable_) {
      stream.loop_.defer(awaiter);
    } else {
      stream.awaiters_.receiver = awaiter;
    }
  }
  // Nothing: woken up for nothing, or for cancel().
  std::optional<size_t> await_resume() {
    if (stream.is_receiving_cancelled_) return 0;
    return received ? received : stream.receive_now(buffer);
  }
};

struct Stream::Writable {
  Stream& stream;
  std::coroutine_handle<>& waiting;  // of stream.awaiters_

  bool await_ready() const { return stream.is_cancelled_; }
  void await_suspend(std::coroutine_handle<> awaiter) { waiting = awaiter; }
  bool await_resume() const { return !stream.is_cancelled_; }
};

Task<bool> Stream::receive(InputBuffer& input) {
  if (is_receiving_cancelled_) co_return false;
  if (!tls_) {
    std::optional<size_t> bytes;
    while (!bytes) bytes = co_await Receipt{*this, input};
    co_return *bytes > 0;
  }
  while (true) {
    switch (tls_->decrypt(input)) {
      case TlsSession::Progress::kDone: co_return true;
      case TlsSession::Progress::kClosed: co_return false;
      case TlsSession::Progress::kNeedMore: break;
    }
    // Answers of the protocol itself, such as a key update; a task that is sending sends them, too.
    if (!tls_->ciphertext().empty() && !awaiters_.sender && !co_await send_ciphertext(awaiters_.answerer)) co_return false;
    if (!co_await receive_ciphertext()) co_return false;
  }
}

Task<bool> Stream::receive_ciphertext() {
  std::optional<size_t> bytes;
  while (!bytes) bytes = co_await Receipt{*this, encrypted_input_};
  tls_->receive(encrypted_input_.view());
  encrypted_input_.consume(*bytes);
  co_return *bytes > 0;
}

Task<bool> Stream::start_tls(const TlsContext& context, InputBuffer& input) {
  tls_ = std::make_unique<TlsSession>(context);
  tls_->receive(input.view());
  input.consume(input.size());
  while (true) {
    TlsSession::Progress progress = tls_->handshake();
    // Also an alert that says why the handshake failed.
    if (!tls_->ciphertext().empty() && !co_await send_ciphertext(awaiters_.answerer)) co_return false;
    if (progress != TlsSession::Progress::kNeedMore) co_return progress == TlsSession::Progress::kDone;
    if (!co_await receive_ciphertext()) co_return false;
  }
}

Task<bool> Stream::send(std::string_view first, std::string_view second) {
  if (is_cancelled_) co_return false;
  if (!tls_) co_return co_await send_plain(first, second);
  co_return co_await send_encrypted(first) && co_await send_encrypted(second);
}

Task<bool> Stream::send_plain(std::string_view first, std::string_view second) {
  while (!first.empty() || !second.empty()) {
    std::optional<size_t> sent = send_now(socket_.get(), first, second);
    if (!sent) co_return false;
    if (*sent == 0 && !co_await Writable{*this, awaiters_.sender}) co_return false;
    sent_bytes_ += *sent;
    size_t from_first = std::min(*sent, first.size());
    first.remove_prefix(from_first);
    second.remove_prefix(*sent - from_first);
  }
  co_return true;
}

Task<bool> Stream::send_encrypted(std::string_view plaintext) {
  while (!plaintext.empty()) {
    std::string_view piece = plaintext.substr(0, kEncryptBytesMax);
    if (!tls_->encrypt(piece) || !co_await send_ciphertext(awaiters_.sender)) co_return false;
    plaintext.remove_prefix(piece.size());
  }
  co_return true;
}

// Two of these may take turns: what is left is looked at anew after every wait.
Task<bool> Stream::send_ciphertext(std::coroutine_handle<>& awaiter) {
  while (!tls_->ciphertext().empty()) {
    std::optional<size_t> sent = send_now(socket_.get(), tls_->ciphertext(), {});
    if (!sent) co_return false;
    if (*sent == 0 && !co_await Writable{*this, awaiter}) co_return false;
    sent_bytes_ += *sent;
    tls_->consume_ciphertext(*sent);
  }
  co_return true;
}

void Stream::send_at_once(std::string_view text) {
  if (tls_ && !tls_->encrypt(text)) return;
  send_now(socket_.get(), tls_ ? tls_->ciphertext() : text, {});
}

void Stream::abandon() {
  has_peer_closed_ = true;
  has_peer_closed_.notify_all();
}

// Not resumed at once: the caller may be walking through its connections.
void Stream::cancel_receiving() {
  is_receiving_cancelled_ = true;
  if (awaiters_.receiver) loop_.defer(std::exchange(awaiters_.receiver, nullptr));
}

void Stream::cancel() {
  is_cancelled_ = true;
  cancel_receiving();
  if (awaiters_.sender) loop_.defer(std::exchange(awaiters_.sender, nullptr));
  if (awaiters_.answerer) loop_.defer(std::exchange(awaiters_.answerer, nullptr));
}

size_t Stream::unconfirmed_bytes() const {
  int bytes = 0;
  return ::ioctl(socket_.get(), SIOCOUTQ, &bytes) == 0 ? static_cast<size_t>(bytes) : 0;
}

void Stream::reset_on_close() {
  linger now{.l_onoff = 1, .l_linger = 0};
  ::setsockopt(socket_.get(), SOL_SOCKET, SO_LINGER, &now, sizeof now);
}

void Stream::shutdown_send() {
  if (tls_) {
    tls_->close();
    send_now(socket_.get(), tls_->ciphertext(), {});
  }
  ::shutdown(socket_.get(), SHUT_WR);
}

}  // namespace partita::net
