#pragma once

#include "net/http/http_limits.h"
#include "net/http/http_message.h"

#include <expected>
#include <string>
#include <string_view>

namespace partita::net {

// Why a request is refused: the status to answer and what is wrong with it, in words for the client's programmer.
struct HttpFailure {
  int status = 400;
  std::string message;
};

// HeadScanner: finds the blank line that ends a request's head in a buffer that grows. Looks at each byte once.
class HeadScanner {
 public:
  enum class Progress { kNeedMore, kFound, kFailed };

  // `data` starts with the request's first byte, also when called again with more.
  Progress scan(std::string_view data, const HttpLimits& limits, HttpFailure& failure);
  // The head's length with its blank line, once found.
  size_t head_bytes() const { return head_bytes_; }

 private:
  size_t line_begin_ = 0;
  size_t searched_ = 0;
  size_t head_bytes_ = 0;
};

// How the request's body is delimited and what happens to the connection afterwards.
struct RequestFraming {
  size_t content_length = 0;
  bool is_chunked = false;
  bool keep_alive = true;
  bool is_http_1_0 = false;
  bool expects_continue = false;
};

// Parses a whole head, as HeadScanner delimits it. Views in `request` point into `head`; body, peer and is_tls are untouched.
// Strict where leniency lets two parties see different requests in the same bytes (RFC 9112 §11.2).
std::expected<RequestFraming, HttpFailure> parse_head(std::string_view head, const HttpLimits& limits, HttpRequest& request);

// One "name: value" line, without its CRLF.
std::expected<HttpHeader, HttpFailure> parse_field(std::string_view line);

}  // namespace partita::net
