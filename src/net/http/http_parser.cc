#include "net/http/http_parser.h"

#include "base/check.h"

#include <fmt/format.h>

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
  is_too_large_ = framing_.content_length > limits_.body_bytes_max;
  if (!is_too_large_) return Progress::kComplete;
  failure_ = {413, fmt::format("the body is larger than {} bytes", limits_.body_bytes_max)};
  return Progress::kFailed;
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
  return take_continue(input) ? Progress::kNeedContinue : Progress::kNeedMore;
}

// A client that already sends its body is not waiting for permission.
bool HttpParser::take_continue(const InputBuffer& input) {
  return std::exchange(framing_.expects_continue, false) && input.size() == scanner_.head_bytes();
}

void HttpParser::begin_stream(InputBuffer& input, size_t bytes_max) {
  streamed_head_.assign(input.view().substr(0, scanner_.head_bytes()));
  input.consume(streamed_head_.size());
  CHECK(parse_head(streamed_head_, limits_, request_).has_value());
  limits_.body_bytes_max = bytes_max;
  stream_rest_bytes_ = framing_.content_length;
  is_streamed_ = true;
}

HttpParser::Progress HttpParser::advance_stream(InputBuffer& input, std::string_view& piece) {
  if (!framing_.is_chunked) {
    piece = input.view().substr(0, stream_rest_bytes_);
    return stream_rest_bytes_ == 0 ? Progress::kComplete : Progress::kNeedMore;
  }
  const ChunkedBody::Progress progress = chunked_.advance(input, 0, limits_, failure_);
  if (progress == ChunkedBody::Progress::kFailed) return Progress::kFailed;
  piece = input.view().substr(0, chunked_.decoded_bytes());
  return progress == ChunkedBody::Progress::kComplete && piece.empty() ? Progress::kComplete : Progress::kNeedMore;
}

void HttpParser::take_piece(InputBuffer& input, size_t bytes) {
  if (bytes == 0) return;  // what was decoded with the head was not told yet
  input.consume(bytes);
  if (framing_.is_chunked) {
    chunked_.take_decoded();
  } else {
    stream_rest_bytes_ -= bytes;
  }
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
  if (std::exchange(is_streamed_, false)) {
    std::string().swap(streamed_head_);
  } else {
    input.consume(scanner_.head_bytes() + request_.body.size());
  }
  request_.body = {};
  request_.streamed_body = nullptr;
  is_too_large_ = false;
  limits_.body_bytes_max = body_bytes_max_;
  scanner_ = HeadScanner();
  chunked_ = ChunkedBody();
  head_parsed_at_ = nullptr;
}

}  // namespace partita::net
