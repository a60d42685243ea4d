#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

// Clients for tests: blocking, and as rude as a test wants them to be.
namespace partita::net {

struct TestAnswer {
  int status = 0;  // 0: the connection ended before a whole answer came
  std::map<std::string, std::string> headers;
  std::string body;
};

// TestClient: a plain connection.
class TestClient {
 public:
  explicit TestClient(uint16_t port) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    is_connected_ = ::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
    int on = 1;
    setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    timeval guard{60, 0};  // a test that hangs fails instead
    setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &guard, sizeof guard);
  }
  virtual ~TestClient() { close(); }
  TestClient(const TestClient&) = delete;
  TestClient& operator=(const TestClient&) = delete;

  bool is_connected() const { return is_connected_; }
  int socket() const { return socket_; }

  // False when the peer no longer takes it.
  virtual bool send(std::string_view text) {
    while (!text.empty()) {
      ssize_t bytes = ::send(socket_, text.data(), text.size(), MSG_NOSIGNAL);
      if (bytes <= 0) return false;
      text.remove_prefix(static_cast<size_t>(bytes));
    }
    return true;
  }

  // One answer; `has_body` is false for answers to HEAD.
  TestAnswer receive(bool has_body = true) {
    TestAnswer answer;
    std::string head;
    while (!head.ends_with("\r\n\r\n")) {
      if (!fill(1)) return answer;
      head.push_back(received_.front());
      received_.erase(0, 1);
    }
    parse_head(head, answer);
    size_t body_bytes = answer.headers.contains("Content-Length") && has_body ? std::stoul(answer.headers["Content-Length"]) : 0;
    if (!fill(body_bytes)) return {};
    answer.body = received_.substr(0, body_bytes);
    received_.erase(0, body_bytes);
    return answer;
  }

  TestAnswer request(std::string_view text) {
    send(text);
    return receive();
  }

  // So many bytes; fewer when the connection ended before.
  std::string receive_bytes(size_t bytes) {
    fill(bytes);
    std::string taken = received_.substr(0, bytes);
    received_.erase(0, taken.size());
    return taken;
  }

  // True when the server ends the connection without sending anything more.
  bool is_closed_by_server() { return !fill(1); }
  // Waits, without reading, until the connection is reset or closed by the server.
  void wait_for_hangup() {
    pollfd waiting{socket_, POLLRDHUP, 0};
    EXPECT_EQ(::poll(&waiting, 1, 60'000), 1) << "the server did not close";
  }
  void shutdown_send() { ::shutdown(socket_, SHUT_WR); }
  void close() {
    if (socket_ >= 0) ::close(std::exchange(socket_, -1));
  }

 protected:
  virtual ssize_t read_some(char* at, size_t bytes) { return ::recv(socket_, at, bytes, 0); }

 private:
  bool fill(size_t bytes) {
    char piece[64 * 1024];
    while (received_.size() < bytes) {
      ssize_t got = read_some(piece, sizeof piece);
      if (got <= 0) return false;
      received_.append(piece, static_cast<size_t>(got));
    }
    return true;
  }

  static void parse_head(const std::string& head, TestAnswer& answer) {
    ASSERT_TRUE(head.starts_with("HTTP/1.1 ")) << head;
    answer.status = std::stoi(head.substr(9, 3));
    size_t begin = head.find("\r\n") + 2;
    while (begin < head.size() - 2) {
      size_t end = head.find("\r\n", begin);
      size_t colon = head.find(": ", begin);
      answer.headers[head.substr(begin, colon - begin)] = head.substr(colon + 2, end - colon - 2);
      begin = end + 2;
    }
  }

  int socket_;
  bool is_connected_ = false;
  std::string received_;
};

// TestTlsClient: the same with TLS; trusts every certificate. A session may be resumed.
class TestTlsClient final : public TestClient {
 public:
  explicit TestTlsClient(uint16_t port, SSL_SESSION* resumed = nullptr)
      : TestClient(port), context_(SSL_CTX_new(TLS_client_method())), ssl_(SSL_new(context_)) {
    SSL_set_fd(ssl_, socket());
    constexpr unsigned char kProtocols[] = "\x02h2\x08http/1.1";
    SSL_set_alpn_protos(ssl_, kProtocols, sizeof kProtocols - 1);
    if (resumed != nullptr) SSL_set_session(ssl_, resumed);
    has_shaken_hands_ = SSL_connect(ssl_) == 1;
  }
  ~TestTlsClient() override {
    SSL_free(ssl_);
    SSL_CTX_free(context_);
  }

  bool has_shaken_hands() const { return has_shaken_hands_; }
  SSL* ssl() const { return ssl_; }
  bool send(std::string_view text) override { return SSL_write(ssl_, text.data(), static_cast<int>(text.size())) > 0; }

 protected:
  ssize_t read_some(char* at, size_t bytes) override { return SSL_read(ssl_, at, static_cast<int>(bytes)); }

 private:
  SSL_CTX* context_;
  SSL* ssl_;
  bool has_shaken_hands_ = false;
};

}  // namespace partita::net
