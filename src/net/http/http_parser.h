#pragma once

#include "net/http/chunked_body.h"
#include "net/http/http_head.h"
#include "net/http/http_limits.h"
#include "net/http/http_message.h"
#include "net/input_buffer.h"

#include <algorithm>
#include <string>
#include <string_view>

namespace partita::net {

// HttpParser: turns a connection's input into one request after another. Pure: no socket, no clock. Not thread-safe.
//
// What it decides depends only on the bytes received so far, never on how they were split.
class HttpParser {
 public:
  enum class Progress {
    kNeedMore,
    kNeedContinue,  // the client waits for "100 Continue" before it sends the body; reported once per request
    kComplete,      // request() is valid until next()
    kFailed,        // failure() says why; the connection cannot go on
  };

  explicit HttpParser(const HttpLimits& limits) : limits_(limits), body_bytes_max_(limits.body_bytes_max) {}

  // REQUIRES: `input` is the same buffer from call to call and only grew since the last one.
  Progress advance(InputBuffer& input);
  // Takes the complete request out of the buffer and starts over behind it.
  void next(InputBuffer& input);

  // Whether the head of the request has arrived, and no kComplete yet. request() is valid but for its body until `input` moves.
  bool has_head() const { return head_parsed_at_ != nullptr; }
  size_t head_bytes() const { return scanner_.head_bytes(); }
  // Whether it failed because the body is larger than allowed. It may be streamed all the same.
  bool is_too_large() const { return is_too_large_; }
  // For this request only; smaller than what the limits say.
  void limit_body(size_t bytes_max) { limits_.body_bytes_max = std::min(limits_.body_bytes_max, bytes_max); }

  // The body is taken piece by piece: keeps the head and takes it out of the buffer. REQUIRES: has_head().
  void begin_stream(InputBuffer& input, size_t bytes_max);
  // Whether the client waits for "100 Continue"; told once per request.
  bool take_continue(const InputBuffer& input);
  // `piece` is what has come of the body, valid until take_piece() or until `input` moves; kComplete: there is nothing more of
  // it.
  Progress advance_stream(InputBuffer& input, std::string_view& piece);
  void take_piece(InputBuffer& input, size_t bytes);

  HttpRequest& request() { return request_; }
  const RequestFraming& framing() const { return framing_; }
  const HttpFailure& failure() const { return failure_; }

 private:
  Progress advance_head(InputBuffer& input);
  Progress advance_body(InputBuffer& input);
  Progress complete(InputBuffer& input, size_t body_bytes);

  HttpLimits limits_;
  const size_t body_bytes_max_;  // of every request
  HeadScanner scanner_;
  RequestFraming framing_;
  ChunkedBody chunked_;
  HttpRequest request_;
  HttpFailure failure_;
  bool is_too_large_ = false;
  bool is_streamed_ = false;
  size_t stream_rest_bytes_ = 0;  // of a streamed body with a Content-Length
  std::string streamed_head_;
  const char* head_parsed_at_ = nullptr;  // where the head was when request_'s views were made; null before that
};

}  // namespace partita::net
