#include "script/message.h"

#include "base/bytes.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>

namespace partita::script {
namespace {

std::unexpected<Error> broken() { return fail(ErrorCode::kCorruption, "a script host's message cannot be decoded"); }
std::unexpected<Error> gone() { return fail(ErrorCode::kUnavailable, "the script host is gone"); }

bool is_known(MessageType type) {
  switch (type) {
    case MessageType::kRun:
    case MessageType::kReply:
    case MessageType::kEvaluate:
    case MessageType::kForget:
    case MessageType::kReady:
    case MessageType::kOperation:
    case MessageType::kDone:
    case MessageType::kFailed: return true;
  }
  return false;
}

// So much is received at a time: what a message is said to have is not believed before it comes.
constexpr size_t kReceivedAtOnceMax = 256 << 10;

bool must_wait(ssize_t done) { return done < 0 && (errno == EAGAIN || errno == EWOULDBLOCK); }

Result<std::string> receive_exactly(int socket, size_t bytes, const SocketWait& wait) {
  std::string received;
  while (received.size() < bytes) {
    if (wait) TRY(wait(POLLIN));
    const size_t before = received.size();
    received.resize(before + std::min(bytes - before, kReceivedAtOnceMax));
    const ssize_t got = ::recv(socket, received.data() + before, received.size() - before, wait ? MSG_DONTWAIT : 0);
    const bool is_nothing = got < 0 && (errno == EINTR || (wait && must_wait(got)));
    if (got <= 0 && !is_nothing) return gone();
    received.resize(before + (is_nothing ? 0 : static_cast<size_t>(got)));
  }
  return received;
}

}  // namespace

std::string encode_message(const Message& message) {
  size_t bytes = 1 + sizeof(uint32_t);
  for (const std::string& field : message.fields) bytes += sizeof(uint32_t) + field.size();
  std::string out;
  out.reserve(sizeof(uint32_t) + bytes);
  append_little_endian(out, static_cast<uint32_t>(bytes));
  out += static_cast<char>(message.type);
  append_little_endian(out, static_cast<uint32_t>(message.fields.size()));
  for (const std::string& field : message.fields) {
    append_little_endian(out, static_cast<uint32_t>(field.size()));
    out += field;
  }
  return out;
}

Result<Message> decode_message(std::string_view bytes) {
  if (bytes.size() < 1 + sizeof(uint32_t)) return broken();
  Message message;
  message.type = static_cast<MessageType>(bytes.front());
  const uint32_t count = load_little_endian<uint32_t>(bytes.data() + 1);
  if (!is_known(message.type) || count > kMessageFieldsMax) return broken();
  bytes.remove_prefix(1 + sizeof(uint32_t));
  for (uint32_t i = 0; i < count; ++i) {
    if (bytes.size() < sizeof(uint32_t)) return broken();
    const uint32_t size = load_little_endian<uint32_t>(bytes.data());
    bytes.remove_prefix(sizeof(uint32_t));
    if (bytes.size() < size) return broken();
    message.fields.emplace_back(bytes.substr(0, size));
    bytes.remove_prefix(size);
  }
  if (!bytes.empty()) return broken();
  return message;
}

Status send_message(int socket, const Message& message, const SocketWait& wait) {
  const std::string bytes = encode_message(message);
  if (bytes.size() > kMessageBytesMax) return fail(ErrorCode::kTooLarge, "a script's message is too large");
  std::string_view rest = bytes;
  while (!rest.empty()) {
    const ssize_t sent = ::send(socket, rest.data(), rest.size(), MSG_NOSIGNAL | (wait ? MSG_DONTWAIT : 0));
    if (sent < 0 && errno == EINTR) continue;
    if (wait && must_wait(sent)) {
      TRY(wait(POLLOUT));
      continue;
    }
    if (sent <= 0) return gone();
    rest.remove_prefix(static_cast<size_t>(sent));
  }
  return {};
}

Result<Message> receive_message(int socket, const SocketWait& wait) {
  TRY_ASSIGN(const std::string head, receive_exactly(socket, sizeof(uint32_t), wait));
  const uint32_t length = load_little_endian<uint32_t>(head.data());
  if (length > kMessageBytesMax) return broken();
  TRY_ASSIGN(const std::string body, receive_exactly(socket, length, wait));
  return decode_message(body);
}

}  // namespace partita::script
