#include "http_connection.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <strings.h>
#include <charconv>

#include "fatal.h"

namespace partita::bench {
namespace {

constexpr std::size_t kFirstBufferBytes = 64 * 1024;
constexpr std::size_t kAnswerBytesMax = 64 * 1024 * 1024;

int connect_to(const HttpTarget& target) {
  const int socket = must("socket", ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(target.port);
  if (inet_pton(AF_INET, target.host.c_str(), &address.sin_addr) != 1) fatal("not an IPv4 address: {}", target.host);
  must("connect", ::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address));
  const int on = 1;
  must("TCP_NODELAY", ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on));
  return socket;
}

std::size_t content_length(std::string_view head) {
  constexpr std::string_view kName = "\r\ncontent-length:";
  for (std::size_t at = head.find("\r\n"); at != std::string_view::npos; at = head.find("\r\n", at + 2)) {
    if (head.size() - at < kName.size() || strncasecmp(head.data() + at, kName.data(), kName.size()) != 0) continue;
    const std::size_t first = head.find_first_not_of(' ', at + kName.size());
    std::size_t length = 0;
    std::from_chars(head.data() + first, head.data() + head.size(), length);
    return length;
  }
  fatal("an answer without content-length:\n{}", head);
}

}  // namespace

HttpConnection::HttpConnection(HttpRequests& requests)
    : requests_(requests), socket_(connect_to(requests.target())), buffer_(kFirstBufferBytes) {}

HttpConnection::~HttpConnection() { ::close(socket_); }

void HttpConnection::start(std::uint64_t number) {
  received_ = answer_bytes_ = 0;
  body_ = {};
  failure_.clear();
  std::string_view request = requests_.request(number);
  while (!request.empty()) {
    const auto sent = must("send", ::send(socket_, request.data(), request.size(), MSG_NOSIGNAL));
    request.remove_prefix(static_cast<std::size_t>(sent));
  }
}

bool HttpConnection::receive() {
  const ssize_t count = ::recv(socket_, buffer_.data() + received_, buffer_.size() - received_, MSG_DONTWAIT);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return false;
  if (must("recv", count) == 0) fatal("the server closed a kept connection");
  received_ += static_cast<std::size_t>(count);
  return is_complete();
}

bool HttpConnection::is_complete() {
  const std::string_view text(buffer_.data(), received_);
  if (answer_bytes_ == 0) {
    const std::size_t end = text.find("\r\n\r\n");
    if (end == std::string_view::npos) return false;
    head_bytes_ = end + 4;
    answer_bytes_ = head_bytes_ + content_length(text.substr(0, end));
    if (answer_bytes_ > kAnswerBytesMax) fatal("an answer of {} bytes", answer_bytes_);
    if (answer_bytes_ > buffer_.size()) buffer_.resize(answer_bytes_);
  }
  if (received_ < answer_bytes_) return false;
  const std::string_view answer(buffer_.data(), answer_bytes_);
  body_ = answer.substr(head_bytes_);
  constexpr std::size_t kStatusAt = std::string_view("HTTP/1.1 ").size();
  if (answer[kStatusAt] != '2') failure_ = std::string(answer.substr(0, answer.find("\r\n"))) + " " + std::string(body_);
  return true;
}

}  // namespace partita::bench
