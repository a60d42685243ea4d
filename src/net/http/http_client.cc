#include "net/http/http_client.h"

#include "net/file_descriptor.h"

#include <fmt/format.h>
#include <netdb.h>
#include <sys/socket.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <memory>
#include <optional>

namespace partita::net {
namespace {

struct Address {
  std::string host;
  std::string port;
};

Result<Address> parse_endpoint(std::string_view endpoint) {
  constexpr std::string_view kScheme = "http://";
  if (!endpoint.starts_with(kScheme)) {
    return fail(ErrorCode::kInvalidInput, fmt::format("'{}' is not an endpoint like http://localhost:8081/", endpoint));
  }
  std::string_view rest = endpoint.substr(kScheme.size());
  rest = rest.substr(0, rest.find('/'));
  const size_t colon = rest.rfind(':');
  if (colon == std::string_view::npos) return Address{std::string(rest), "80"};
  return Address{std::string(rest.substr(0, colon)), std::string(rest.substr(colon + 1))};
}

std::unexpected<Error> unreachable(const Address& address, std::string_view why) {
  return fail(ErrorCode::kUnavailable, fmt::format("{}:{} does not answer: {}", address.host, address.port, why));
}

Result<FileDescriptor> connect_to(const Address& address, int patience_seconds) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (const int error = ::getaddrinfo(address.host.c_str(), address.port.c_str(), &hints, &found); error != 0) {
    return unreachable(address, ::gai_strerror(error));
  }
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> candidates(found, &::freeaddrinfo);
  for (const addrinfo* candidate = found; candidate != nullptr; candidate = candidate->ai_next) {
    FileDescriptor socket(::socket(candidate->ai_family, candidate->ai_socktype | SOCK_CLOEXEC, candidate->ai_protocol));
    const timeval patience{patience_seconds, 0};
    ::setsockopt(socket.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    if (::connect(socket.get(), candidate->ai_addr, candidate->ai_addrlen) == 0) return socket;
  }
  return unreachable(address, std::strerror(errno));
}

Status send_all(int socket, std::string_view text, const Address& address) {
  while (!text.empty()) {
    const ssize_t sent = ::send(socket, text.data(), text.size(), MSG_NOSIGNAL);
    if (sent <= 0) return unreachable(address, std::strerror(errno));
    text.remove_prefix(static_cast<size_t>(sent));
  }
  return {};
}

// The connection ends with the answer, because the request asks for that.
Result<std::string> receive_all(int socket, const Address& address) {
  std::string received;
  char buffer[16384];
  while (true) {
    const ssize_t bytes = ::recv(socket, buffer, sizeof buffer, 0);
    if (bytes < 0) return unreachable(address, std::strerror(errno));
    if (bytes == 0) return received;
    received.append(buffer, static_cast<size_t>(bytes));
  }
}

std::optional<HttpAnswer> parse_answer(std::string_view text) {
  constexpr std::string_view kVersion = "HTTP/1.1 ";
  const size_t head_end = text.find("\r\n\r\n");
  if (!text.starts_with(kVersion) || head_end == std::string_view::npos) return std::nullopt;
  HttpAnswer answer;
  const char* digits = text.data() + kVersion.size();
  if (std::from_chars(digits, digits + 3, answer.status).ec != std::errc()) return std::nullopt;
  answer.body = text.substr(head_end + 4);
  return answer;
}

}  // namespace

Result<HttpAnswer> send_request(std::string_view endpoint, const ClientRequest& request) {
  TRY_ASSIGN(const Address address, parse_endpoint(endpoint));
  TRY_ASSIGN(const FileDescriptor socket, connect_to(address, request.patience_seconds));
  std::string text = fmt::format("{} {} HTTP/1.1\r\nHost: {}:{}\r\nConnection: close\r\nContent-Length: {}\r\n", request.method,
                                 request.path, address.host, address.port, request.body.size());
  for (const auto& [name, value] : request.headers) text += fmt::format("{}: {}\r\n", name, value);
  text += "\r\n";
  text += request.body;
  TRY(send_all(socket.get(), text, address));
  TRY_ASSIGN(const std::string received, receive_all(socket.get(), address));
  std::optional<HttpAnswer> answer = parse_answer(received);
  if (!answer) return unreachable(address, "what came back is not HTTP");
  return *std::move(answer);
}

}  // namespace partita::net
