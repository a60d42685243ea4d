#include "net/http_parser.h"

#include "base/check.h"

#include <utility>

namespace partita::net {

HttpParser::Progress HttpParser::advance(InputBuffer& input) {
  if (head_parsed_at_ == nullptr) {
    if (Progress progress = advance_head(input); progress != Progress::kComplete) return progress;
  }
  return advance_body(input);
}

HttpParser::Progress HttpParser::advance_head(InputBuffer& input) {
  switch (scanner_.scan(input.view(), limits_, failure_)) {
    case HeadScanner::Progress::kNeedMore: return Progress::kNeedMore;
    case HeadScanner::Progress::kFailed: return Progress::kFailed;
    case HeadScanner::Progress::kFound: break;
  }
  auto framing = parse_head(input.view().substr(0, scanner_.head_bytes()), limits_, request_);
  if (!framing) {
    failure_ = std::move(framing.error());
    return Progress::kFailed;
  }
  framing_ = *framing;
  request_.announced_bytes = framing_.is_chunked ? std::nullopt : std::optional(framing_.content_length);
  head_parsed_at_ = input.view().data();
  return Progress::kComplete;
}

HttpParser::Progress HttpParser::advance_body(InputBuffer& input) {
  size_t body_begin = scanner_.head_bytes();
  if (framing_.is_chunked) {
    switch (chunked_.advance(input, body_begin, limits_, failure_)) {
      case ChunkedBody::Progress::kComplete: return complete(input, chunked_.decoded_bytes());
      case ChunkedBody::Progress::kFailed: return Progress::kFailed;
      case ChunkedBody::Progress::kNeedMore: break;
    }
  } else if (input.size() - body_begin >= framing_.content_length) {
    return complete(input, framing_.content_length);
  }
  // A client that already sends its body is not waiting for permission.
  bool is_waiting = std::exchange(framing_.expects_continue, false) && input.size() == body_begin;
  return is_waiting ? Progress::kNeedContinue : Progress::kNeedMore;
}

HttpParser::Progress HttpParser::complete(InputBuffer& input, size_t body_bytes) {
  std::string_view data = input.view();
  if (data.data() != head_parsed_at_) {
    // The buffer moved while the body arrived: make the views again.
    CHECK(parse_head(data.substr(0, scanner_.head_bytes()), limits_, request_).has_value());
    head_parsed_at_ = data.data();
  }
  request_.body = data.substr(scanner_.head_bytes(), body_bytes);
  return Progress::kComplete;
}

void HttpParser::next(InputBuffer& input) {
  input.consume(scanner_.head_bytes() + request_.body.size());
  request_.body = {};
  limits_.body_bytes_max = body_bytes_max_;
  scanner_ = HeadScanner();
  chunked_ = ChunkedBody();
  head_parsed_at_ = nullptr;
}

}  // namespace partita::net
