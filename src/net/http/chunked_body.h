#pragma once

#include "net/http/http_head.h"
#include "net/http/http_limits.h"
#include "net/input_buffer.h"

#include <optional>
#include <string_view>
#include <utility>

namespace partita::net {

// ChunkedBody: decodes a chunked body in place, so that it ends up in one piece behind the request's head.
//
// Invariant between calls: the buffer holds head, decoded bytes, then input that could not be decoded yet.
class ChunkedBody {
 public:
  enum class Progress { kNeedMore, kComplete, kFailed };

  // `body_begin` is the length of the head in front of the body. Extensions are ignored, trailers dropped.
  Progress advance(InputBuffer& input, size_t body_begin, const HttpLimits& limits, HttpFailure& failure);
  size_t decoded_bytes() const { return decoded_bytes_; }
  // What is decoded is taken out of the buffer by the caller; more is decoded to where it began.
  void take_decoded() { taken_bytes_ += std::exchange(decoded_bytes_, 0); }

 private:
  enum class Phase { kSize, kData, kDataEnd, kTrailer };
  // The undecoded rest of the buffer during one advance().
  struct Cursor;

  Progress decode(Cursor& cursor, const HttpLimits& limits, HttpFailure& failure);
  Progress read_size(Cursor& cursor, const HttpLimits& limits, HttpFailure& failure);
  Progress read_data(Cursor& cursor);
  Progress read_data_end(Cursor& cursor, HttpFailure& failure);
  Progress read_trailer(Cursor& cursor, HttpFailure& failure);

  Phase phase_ = Phase::kSize;
  size_t decoded_bytes_ = 0;
  size_t taken_bytes_ = 0;
  size_t chunk_rest_bytes_ = 0;  // in kData
  size_t trailer_bytes_ = 0;
  bool is_complete_ = false;
};

}  // namespace partita::net
