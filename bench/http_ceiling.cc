// http_ceiling: what an HTTP server costs before it does anything. One thread, epoll, keep-alive; every request gets the
// same 1 KB answer with ten headers, and nothing of it is looked at but its end. Point reads are compared with this.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

namespace {

constexpr std::size_t kBodyBytes = 1024;

int must(const char* what, int result) {
  if (result < 0) {
    std::perror(what);
    std::exit(2);
  }
  return result;
}

std::string fixed_answer() {
  const std::string body = "{\"filler\":\"" + std::string(kBodyBytes - 13, 'x') + "\"}";
  return "HTTP/1.1 200 OK\r\n"
         "content-type: application/json\r\n"
         "content-length: " +
         std::to_string(body.size()) +
         "\r\n"
         "etag: \"00000000-0000-0000-0000-000000000000\"\r\n"
         "x-ms-activity-id: 00000000-0000-0000-0000-000000000000\r\n"
         "x-ms-request-charge: 1\r\n"
         "x-ms-session-token: 0:-1#1\r\n"
         "x-ms-serviceversion: version=2.14.0.0\r\n"
         "x-ms-schemaversion: 1.19\r\n"
         "x-ms-alt-content-path: dbs/bench/colls/c\r\n"
         "lsn: 1\r\n"
         "\r\n" +
         body;
}

int listen_on(std::uint16_t port) {
  const int listener = must("socket", ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const int on = 1;
  must("SO_REUSEADDR", ::setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  must("bind", ::bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof address));
  must("listen", ::listen(listener, 1024));
  return listener;
}

void watch(int epoll, int socket) {
  epoll_event event{.events = EPOLLIN, .data = {.fd = socket}};
  must("epoll_ctl", ::epoll_ctl(epoll, EPOLL_CTL_ADD, socket, &event));
}

void accept_one(int epoll, int listener) {
  const int socket = ::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
  if (socket < 0) return;
  const int on = 1;
  ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  watch(epoll, socket);
}

// A request without a body is a few hundred bytes and arrives in one piece on loopback.
void answer_one(int socket, std::string_view answer) {
  std::array<char, 8192> request;
  const ssize_t count = ::recv(socket, request.data(), request.size(), 0);
  if (count <= 0) {
    ::close(socket);
    return;
  }
  if (std::string_view(request.data(), static_cast<std::size_t>(count)).ends_with("\r\n\r\n")) {
    if (::send(socket, answer.data(), answer.size(), MSG_NOSIGNAL) < 0) ::close(socket);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: http_ceiling PORT\n");
    return 2;
  }
  const std::string answer = fixed_answer();
  const int listener = listen_on(static_cast<std::uint16_t>(std::atoi(argv[1])));
  const int epoll = must("epoll_create1", ::epoll_create1(EPOLL_CLOEXEC));
  watch(epoll, listener);
  std::array<epoll_event, 128> events;
  for (;;) {
    const int count = ::epoll_wait(epoll, events.data(), events.size(), -1);
    for (int i = 0; i < count; ++i) {
      const int socket = events[static_cast<std::size_t>(i)].data.fd;
      if (socket == listener) {
        accept_one(epoll, listener);
      } else {
        answer_one(socket, answer);
      }
    }
  }
}
