#include "storage/log/log_end.h"

#include "base/bytes.h"

#include <algorithm>

namespace partita {

std::optional<size_t> find_log_end(std::string_view block) {
  size_t at = 0;
  while (at + kLogHeaderBytes <= block.size()) {
    const char* header = block.data() + at;
    const size_t length = load_little_endian<uint16_t>(header + kLogLengthAt);
    if (length == 0 && header[kLogTypeAt] == 0) return at;
    at += kLogHeaderBytes + length;
  }
  return std::nullopt;
}

void BatchEnds::note(std::string_view bytes) {
  while (!bytes.empty()) {
    const size_t left_in_block = kLogBlockBytes - at_ % kLogBlockBytes;
    if (content_bytes_ > 0) {
      const size_t count = std::min(content_bytes_, bytes.size());
      skip(bytes, count);
      content_bytes_ -= count;
    } else if (header_bytes_ == 0 && left_in_block < kLogHeaderBytes) {
      skip(bytes, left_in_block);
      continue;
    } else {
      take_header(bytes);
    }
    if (ends_batch_ && content_bytes_ == 0 && header_bytes_ == 0) last_ = at_;
  }
}

void BatchEnds::take_header(std::string_view& bytes) {
  ends_batch_ = false;
  const size_t count = std::min(kLogHeaderBytes - header_bytes_, bytes.size());
  std::ranges::copy(bytes.substr(0, count), header_.begin() + static_cast<ptrdiff_t>(header_bytes_));
  header_bytes_ += count;
  skip(bytes, count);
  if (header_bytes_ < kLogHeaderBytes) return;
  header_bytes_ = 0;
  content_bytes_ = load_little_endian<uint16_t>(header_.data() + kLogLengthAt);
  ends_batch_ = header_[kLogTypeAt] == kLogWhole || header_[kLogTypeAt] == kLogLast;
}

void BatchEnds::skip(std::string_view& bytes, size_t count) {
  count = std::min(count, bytes.size());
  at_ += count;
  bytes.remove_prefix(count);
}

}  // namespace partita
