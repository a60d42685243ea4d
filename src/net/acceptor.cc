#include "net/acceptor.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>

namespace partita::net {
namespace {

constexpr int kAcceptsInTurnMax = 64;  // without giving others a turn

using AddressList = std::unique_ptr<addrinfo, decltype([](addrinfo* list) { freeaddrinfo(list); })>;

Result<AddressList> parse_address(const std::string& address, uint16_t port) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE;
  addrinfo* found = nullptr;
  const char* numeric = address == "localhost" ? "127.0.0.1" : address.c_str();
  if (getaddrinfo(numeric, std::to_string(port).c_str(), &hints, &found) != 0)
    return fail(ErrorCode::kInvalidInput, fmt::format("'{}' is not an IP address that a server can listen on", address));
  return AddressList(found);
}

Error listen_error(const std::string& address, uint16_t port) {
  if (errno == EADDRINUSE) {
    return {ErrorCode::kUnavailable,
            fmt::format("port {} on {} is already in use; stop the program that uses it or choose another port", port, address)};
  }
  return {ErrorCode::kUnavailable, fmt::format("cannot listen on port {} of {}: {}", port, address, std::strerror(errno))};
}

struct Endpoint {
  sockaddr_storage address{};
  socklen_t bytes = sizeof(sockaddr_storage);
  sockaddr* get() { return reinterpret_cast<sockaddr*>(&address); }
};

std::string text_of(Endpoint& peer) {
  char host[NI_MAXHOST] = {};
  char port[NI_MAXSERV] = {};
  if (getnameinfo(peer.get(), peer.bytes, host, sizeof host, port, sizeof port, NI_NUMERICHOST | NI_NUMERICSERV) != 0)
    return "unknown";
  return peer.address.ss_family == AF_INET6 ? fmt::format("[{}]:{}", host, port) : fmt::format("{}:{}", host, port);
}

}  // namespace

Result<std::unique_ptr<Acceptor>> Acceptor::listen(const std::string& address, uint16_t port, OnAccept on_accept) {
  TRY_ASSIGN(AddressList list, parse_address(address, port));
  FileDescriptor listener(::socket(list->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  int on = 1;
  int off = 0;
  Endpoint bound;
  bool is_listening =
      listener.is_open() && ::setsockopt(listener.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) == 0 &&
      (list->ai_family != AF_INET6 || ::setsockopt(listener.get(), IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off) == 0) &&
      ::bind(listener.get(), list->ai_addr, list->ai_addrlen) == 0 && ::listen(listener.get(), SOMAXCONN) == 0 &&
      ::getsockname(listener.get(), bound.get(), &bound.bytes) == 0;
  if (!is_listening) return std::unexpected(listen_error(address, port));
  uint16_t bound_port = ntohs(bound.address.ss_family == AF_INET6 ? reinterpret_cast<sockaddr_in6*>(bound.get())->sin6_port
                                                                  : reinterpret_cast<sockaddr_in*>(bound.get())->sin_port);
  return std::unique_ptr<Acceptor>(new Acceptor(std::move(listener), bound_port, std::move(on_accept)));
}

Acceptor::Acceptor(FileDescriptor listener, uint16_t port, OnAccept on_accept)
    : listener_(std::move(listener)),
      spare_(::open("/dev/null", O_RDONLY | O_CLOEXEC)),
      port_(port),
      on_accept_(std::move(on_accept)) {}

bool Acceptor::watch_on(EventLoop& loop) { return loop.watch(listener_.get(), EPOLLIN, *this); }

void Acceptor::on_ready(uint32_t) {
  for (int i = 0; i < kAcceptsInTurnMax && accept_one(); ++i) {
  }
}

bool Acceptor::accept_one() {
  Endpoint peer;
  FileDescriptor socket(::accept4(listener_.get(), peer.get(), &peer.bytes, SOCK_NONBLOCK | SOCK_CLOEXEC));
  if (socket.is_open()) {
    int on = 1;
    ::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    on_accept_(std::move(socket), text_of(peer));
    return true;
  }
  if (errno == EMFILE || errno == ENFILE) {
    turn_one_away();
    return false;
  }
  // A client that went away before it was accepted is no reason to stop.
  return errno == ECONNABORTED || errno == EINTR;
}

// Otherwise the connection would stay in the queue and wake the loop for ever.
void Acceptor::turn_one_away() {
  spare_.close();
  FileDescriptor(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC)).close();
  spare_ = FileDescriptor(::open("/dev/null", O_RDONLY | O_CLOEXEC));
}

}  // namespace partita::net
