#include "tools/transfer/source/byte_source.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace partita::tools::transfer {
namespace {

// FileSource: a descriptor that it closes unless it is standard input.
class FileSource : public ByteSource {
 public:
  FileSource(std::string path, int descriptor, uint64_t& bytes_read)
      : path_(std::move(path)), descriptor_(descriptor), bytes_read_(bytes_read) {}
  ~FileSource() override {
    if (descriptor_ != STDIN_FILENO) ::close(descriptor_);
  }
  FileSource(const FileSource&) = delete;
  FileSource& operator=(const FileSource&) = delete;

  Result<size_t> read(std::span<char> into) override {
    while (true) {
      const ssize_t bytes = ::read(descriptor_, into.data(), into.size());
      if (bytes < 0 && errno == EINTR) continue;
      if (bytes < 0) return fail(ErrorCode::kStorageFailure, fmt::format("cannot read {}: {}", path_, std::strerror(errno)));
      bytes_read_ += static_cast<uint64_t>(bytes);
      return static_cast<size_t>(bytes);
    }
  }

 private:
  std::string path_;
  int descriptor_;
  uint64_t& bytes_read_;
};

class TextSource : public ByteSource {
 public:
  explicit TextSource(std::string text) : text_(std::move(text)) {}

  Result<size_t> read(std::span<char> into) override {
    const size_t bytes = std::min(into.size(), text_.size() - at_);
    std::copy_n(text_.data() + at_, bytes, into.data());
    at_ += bytes;
    return bytes;
  }

 private:
  std::string text_;
  size_t at_ = 0;
};

}  // namespace

Result<std::unique_ptr<ByteSource>> open_source(const std::string& path, uint64_t& bytes_read) {
  if (path == "-") return std::make_unique<FileSource>("standard input", STDIN_FILENO, bytes_read);
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return fail(ErrorCode::kInvalidInput, fmt::format("cannot open {}: {}", path, std::strerror(errno)));
  return std::make_unique<FileSource>(path, descriptor, bytes_read);
}

std::unique_ptr<ByteSource> source_of(std::string text) { return std::make_unique<TextSource>(std::move(text)); }

}  // namespace partita::tools::transfer
