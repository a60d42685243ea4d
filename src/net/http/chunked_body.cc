#include "net/http/chunked_body.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace partita::net {
namespace {

constexpr size_t kSizeLineBytesMax = 1024;  // with extensions
constexpr size_t kTrailerBytesMax = 8 * 1024;
constexpr size_t kSizeDigitsMax = 15;  // no overflow; any such size is far above every limit

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// "1a" or "1a;extension"; nothing when it is neither.
std::optional<size_t> parse_size_line(std::string_view line) {
  size_t digits = 0;
  size_t size = 0;
  for (; digits < line.size() && hex_digit(line[digits]) >= 0; ++digits) {
    if (digits == kSizeDigitsMax) return std::nullopt;
    size = size * 16 + static_cast<size_t>(hex_digit(line[digits]));
  }
  bool has_control =
      std::any_of(line.begin(), line.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
  if (digits == 0 || has_control || (digits < line.size() && line[digits] != ';')) return std::nullopt;
  return size;
}

ChunkedBody::Progress failed(HttpFailure& failure, int status, std::string message) {
  failure = {status, std::move(message)};
  return ChunkedBody::Progress::kFailed;
}

}  // namespace

struct ChunkedBody::Cursor {
  char* write;  // where decoded bytes go; never ahead of the input
  std::string_view rest;

  // A line without its CRLF. Nothing: see `is_too_long` and `has_bare_newline`, else more input is needed.
  std::optional<std::string_view> take_line(size_t bytes_max) {
    size_t window = std::min(rest.size(), bytes_max);
    size_t newline = rest.substr(0, window).find('\n');
    if (newline == std::string_view::npos) {
      is_too_long = window == bytes_max;
      return std::nullopt;
    }
    if (newline == 0 || rest[newline - 1] != '\r') {
      has_bare_newline = true;
      return std::nullopt;
    }
    std::string_view line = rest.substr(0, newline - 1);
    rest.remove_prefix(newline + 1);
    return line;
  }
  bool is_too_long = false;
  bool has_bare_newline = false;
};

ChunkedBody::Progress ChunkedBody::advance(InputBuffer& input, size_t body_begin, const HttpLimits& limits,
                                           HttpFailure& failure) {
  if (is_complete_) return Progress::kComplete;
  size_t undecoded = body_begin + decoded_bytes_;
  Cursor cursor{input.begin() + undecoded, input.view().substr(undecoded)};
  Progress progress = decode(cursor, limits, failure);
  // Close the gap between what was decoded and what was not.
  size_t decoded_end = body_begin + decoded_bytes_;
  input.erase(decoded_end, input.size() - cursor.rest.size() - decoded_end);
  is_complete_ = progress == Progress::kComplete;
  return progress;
}

// Each step returns kComplete when it has done its part.
ChunkedBody::Progress ChunkedBody::decode(Cursor& cursor, const HttpLimits& limits, HttpFailure& failure) {
  while (true) {
    Progress step = Progress::kNeedMore;
    Phase phase = phase_;
    switch (phase) {
      case Phase::kSize: step = read_size(cursor, limits, failure); break;
      case Phase::kData: step = read_data(cursor); break;
      case Phase::kDataEnd: step = read_data_end(cursor, failure); break;
      case Phase::kTrailer: step = read_trailer(cursor, failure); break;
    }
    if (step != Progress::kComplete || phase == Phase::kTrailer) return step;
  }
}

ChunkedBody::Progress ChunkedBody::read_size(Cursor& cursor, const HttpLimits& limits, HttpFailure& failure) {
  std::optional<std::string_view> line = cursor.take_line(kSizeLineBytesMax);
  if (cursor.is_too_long) return failed(failure, 400, "the size line of a chunk is too long");
  if (cursor.has_bare_newline) return failed(failure, 400, "the size line of a chunk ends with LF instead of CRLF");
  if (!line) return Progress::kNeedMore;
  std::optional<size_t> size = parse_size_line(*line);
  if (!size) return failed(failure, 400, "the size of a chunk is not a hexadecimal number");
  if (*size > limits.body_bytes_max - decoded_bytes_ - taken_bytes_)
    return failed(failure, 413, fmt::format("the body is larger than {} bytes", limits.body_bytes_max));
  chunk_rest_bytes_ = *size;
  phase_ = *size == 0 ? Phase::kTrailer : Phase::kData;
  return Progress::kComplete;
}

ChunkedBody::Progress ChunkedBody::read_data(Cursor& cursor) {
  size_t bytes = std::min(chunk_rest_bytes_, cursor.rest.size());
  std::memmove(cursor.write, cursor.rest.data(), bytes);
  cursor.write += bytes;
  cursor.rest.remove_prefix(bytes);
  decoded_bytes_ += bytes;
  chunk_rest_bytes_ -= bytes;
  if (chunk_rest_bytes_ > 0) return Progress::kNeedMore;
  phase_ = Phase::kDataEnd;
  return Progress::kComplete;
}

ChunkedBody::Progress ChunkedBody::read_data_end(Cursor& cursor, HttpFailure& failure) {
  if (cursor.rest.size() < 2) return Progress::kNeedMore;
  if (!cursor.rest.starts_with("\r\n")) return failed(failure, 400, "a chunk is longer than its size line says");
  cursor.rest.remove_prefix(2);
  phase_ = Phase::kSize;
  return Progress::kComplete;
}

ChunkedBody::Progress ChunkedBody::read_trailer(Cursor& cursor, HttpFailure& failure) {
  while (true) {
    std::optional<std::string_view> line = cursor.take_line(kTrailerBytesMax - trailer_bytes_);
    if (cursor.is_too_long) return failed(failure, 431, fmt::format("the trailers are larger than {} bytes", kTrailerBytesMax));
    if (cursor.has_bare_newline) return failed(failure, 400, "a trailer line ends with LF instead of CRLF");
    if (!line) return Progress::kNeedMore;
    if (line->empty()) return Progress::kComplete;
    trailer_bytes_ += line->size() + 2;
    if (auto field = parse_field(*line); !field) {
      failure = std::move(field.error());
      return Progress::kFailed;
    }
  }
}

}  // namespace partita::net
