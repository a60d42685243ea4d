#pragma once

#include "tools/transfer/source/byte_source.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace partita::tools::transfer {

// What one document's text may have, or one line of a table: twice what a server takes, as texts can have white space.
inline constexpr size_t kRecordBytesMax = size_t{4} << 20;

// SourceWindow: the bytes of a source that a reader looks at, and the line at which they begin.
//
// Not thread-safe. As large as the longest record, never larger than kRecordBytesMax and one piece. Views end with the next call
// of grow() or consume().
class SourceWindow {
 public:
  explicit SourceWindow(std::unique_ptr<ByteSource> source) : source_(std::move(source)) {}

  std::string_view text() const { return std::string_view(bytes_).substr(start_, end_ - start_); }
  // 1 is the first.
  uint64_t line() const { return line_; }

  // Adds bytes behind those that there are; false at the end of the source.
  Result<bool> grow() {
    if (start_ > 0) {
      std::memmove(bytes_.data(), bytes_.data() + start_, end_ - start_);
      end_ -= std::exchange(start_, 0);
    }
    if (bytes_.size() - end_ < kPieceBytes) bytes_.resize(std::max(bytes_.size() * 2, end_ + kPieceBytes));
    TRY_ASSIGN(const size_t bytes, source_->read(std::span(bytes_).subspan(end_)));
    end_ += bytes;
    return bytes > 0;
  }
  // REQUIRES: no more than text() has.
  void consume(size_t bytes) {
    line_ += count_lines(text().substr(0, bytes));
    start_ += bytes;
  }

  static uint64_t count_lines(std::string_view text) { return static_cast<uint64_t>(std::count(text.begin(), text.end(), '\n')); }

 private:
  static constexpr size_t kPieceBytes = 256 << 10;

  std::unique_ptr<ByteSource> source_;
  std::string bytes_;
  size_t start_ = 0;
  size_t end_ = 0;
  uint64_t line_ = 1;
};

}  // namespace partita::tools::transfer
