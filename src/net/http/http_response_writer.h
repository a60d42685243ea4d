#pragma once

#include "net/http/http_head.h"
#include "net/http/http_message.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace partita::net {

// DateText: the value of the Date header, made anew when the second changes. Not thread-safe: one per thread.
class DateText {
 public:
  std::string_view now();

 private:
  int64_t second_ = -1;
  char text_[32] = {};
};

struct ResponseFraming {
  bool keep_alive = true;
  bool is_http_1_0 = false;
  bool is_streamed =
      false;  // the body comes from the response's source: with its length, in chunks, or until the connection ends
};

// Appends status line, headers and the blank line. Says what Content-Length the body has; the body is the caller's to send
// unless body_is_sent() says no.
void append_response_head(std::string& out, const HttpResponse& response, ResponseFraming framing, std::string_view date);

// False for HEAD and for statuses that have no body.
bool body_is_sent(std::string_view method, int status);

// The answer to a request that no handler saw: {"code":"BadRequest","message":"..."}.
// REQUIRES: a message without quotes, backslashes and control characters.
void fill_failure(HttpResponse& response, const HttpFailure& failure);

}  // namespace partita::net
