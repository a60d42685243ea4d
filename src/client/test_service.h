#pragma once

#include <arpa/inet.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace partita::client {

// TestService: a server that answers what a test tells it to, on a free port of the loopback interface.
//
// `answer` gets each whole request as it came, on the connection's thread, and returns the bytes of the answer; nothing closes
// the connection without one.
class TestService {
 public:
  using AnswerOf = std::function<std::optional<std::string>(const std::string& request)>;

  explicit TestService(AnswerOf answer)
      : answer_(std::move(answer)), listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    EXPECT_EQ(::bind(listener_, reinterpret_cast<sockaddr*>(&address), size), 0);
    EXPECT_EQ(::listen(listener_, 64), 0);
    EXPECT_EQ(::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size), 0);
    port_ = ntohs(address.sin_port);
    acceptor_ = std::thread([this] { accept(); });
  }

  ~TestService() {
    ::shutdown(listener_, SHUT_RDWR);
    acceptor_.join();
    for (const int connection : connections_) ::shutdown(connection, SHUT_RDWR);
    for (std::thread& thread : threads_) thread.join();
    for (const int connection : connections_) ::close(connection);
    ::close(listener_);
  }

  std::string endpoint() const { return fmt::format("http://127.0.0.1:{}/", port_); }
  // All that came so far, each whole.
  std::vector<std::string> requests() {
    std::lock_guard lock(mutex_);
    return requests_;
  }
  size_t connection_count() {
    std::lock_guard lock(mutex_);
    return connections_.size();
  }

 private:
  void accept() {
    while (true) {
      const int connection = ::accept(listener_, nullptr, nullptr);
      if (connection < 0) return;
      std::lock_guard lock(mutex_);
      connections_.push_back(connection);
      threads_.emplace_back([this, connection] { serve(connection); });
    }
  }

  void serve(int connection) {
    std::string received;
    char buffer[4096];
    while (true) {
      const ssize_t bytes = ::recv(connection, buffer, sizeof buffer, 0);
      if (bytes <= 0) return;
      received.append(buffer, static_cast<size_t>(bytes));
      const size_t head = received.find("\r\n\r\n");
      if (head == std::string::npos) continue;
      const size_t length = received.find("content-length: ");
      const size_t body = length < head ? std::stoul(received.substr(length + 16)) : 0;
      if (received.size() < head + 4 + body) continue;
      {
        std::lock_guard lock(mutex_);
        requests_.push_back(received);
      }
      const std::optional<std::string> answer = answer_(received);
      received.clear();
      if (!answer) {
        ::shutdown(connection, SHUT_RDWR);
        return;
      }
      ::send(connection, answer->data(), answer->size(), MSG_NOSIGNAL);
    }
  }

  AnswerOf answer_;
  int listener_;
  uint16_t port_ = 0;
  std::mutex mutex_;  // guards what follows while the threads run
  std::vector<std::string> requests_;
  std::vector<int> connections_;
  std::vector<std::thread> threads_;
  std::thread acceptor_;
};

inline std::string http_answer(int status, std::string_view body, std::string_view more_headers = "") {
  return fmt::format("HTTP/1.1 {} X\r\nContent-Length: {}\r\n{}\r\n{}", status, body.size(), more_headers, body);
}

}  // namespace partita::client
