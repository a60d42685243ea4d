#pragma once

#include "base/result.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace partita::tools::transfer {

// ByteSource: bytes in their order, read once. Not thread-safe.
class ByteSource {
 public:
  virtual ~ByteSource() = default;

  // How many bytes were read; 0 only at the end. REQUIRES: room for one byte at least.
  virtual Result<size_t> read(std::span<char> into) = 0;
};

// A file, or standard input for "-". What is read of it is added to `bytes_read`, which outlives it.
Result<std::unique_ptr<ByteSource>> open_source(const std::string& path, uint64_t& bytes_read);

// A text in memory, which is copied.
std::unique_ptr<ByteSource> source_of(std::string text);

// What the source contains, decompressed when its first bytes say that it is gzip or zstd. Several members or frames behind each
// other are one text. `name` is for messages.
Result<std::unique_ptr<ByteSource>> decompressed(std::unique_ptr<ByteSource> source, const std::string& name);

}  // namespace partita::tools::transfer
