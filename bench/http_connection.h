#pragma once

#include <string>
#include <vector>

#include "connection.h"
#include "http_requests.h"

namespace partita::bench {

// HttpConnection: HTTP/1.1 with keep-alive; answers must carry a content-length.
class HttpConnection : public Connection {
 public:
  // `requests` outlives the connection.
  explicit HttpConnection(HttpRequests& requests);
  ~HttpConnection() override;
  HttpConnection(const HttpConnection&) = delete;
  HttpConnection& operator=(const HttpConnection&) = delete;

  int socket() const override { return socket_; }
  void start(std::uint64_t number) override;
  bool receive() override;
  std::string_view failure() const override { return failure_; }
  std::string_view document() const override { return body_; }

 private:
  bool is_complete();

  HttpRequests& requests_;
  int socket_;
  std::vector<char> buffer_;
  std::size_t received_ = 0;
  std::size_t answer_bytes_ = 0;  // head and body; 0 until the head is complete
  std::size_t head_bytes_ = 0;
  std::string_view body_;
  std::string failure_;
};

}  // namespace partita::bench
