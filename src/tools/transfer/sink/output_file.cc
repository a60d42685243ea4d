#include "tools/transfer/sink/output_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace partita::tools::transfer {
namespace {

constexpr size_t kWriteBytes = 1 << 20;
constexpr mode_t kFileMode = 0666;  // less what the user's mask takes away

std::unexpected<Error> system_error(std::string_view what, const std::string& path) {
  return fail(ErrorCode::kStorageFailure, fmt::format("cannot {} {}: {}", what, path, std::strerror(errno)));
}

}  // namespace

Compression compression_of(std::string_view path) {
  if (path.ends_with(".gz")) return Compression::kGzip;
  if (path.ends_with(".zst")) return Compression::kZstd;
  return Compression::kNone;
}

Result<OutputFile> OutputFile::open(const std::string& path, Compression compression, uint64_t length) {
  if (path == "-") return OutputFile("standard output", STDOUT_FILENO, compression, 0);
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, kFileMode);
  if (descriptor < 0) return system_error("open", path);
  OutputFile file(path, descriptor, compression, length);
  struct stat state{};
  if (::fstat(descriptor, &state) != 0) return system_error("look at", path);
  if (!S_ISREG(state.st_mode)) return file;
  if (static_cast<uint64_t>(state.st_size) < length)
    return fail(ErrorCode::kInvalidInput, fmt::format("{} has {} bytes, fewer than were written before", path, state.st_size));
  if (::ftruncate(descriptor, static_cast<off_t>(length)) != 0) return system_error("cut", path);
  if (::lseek(descriptor, 0, SEEK_END) < 0) return system_error("go on with", path);
  return file;
}

OutputFile::OutputFile(std::string path, int descriptor, Compression compression, uint64_t length)
    : path_(std::move(path)), descriptor_(descriptor), compressor_(make_compressor(compression)), length_(length) {}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : path_(std::move(other.path_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      compressor_(std::move(other.compressor_)),
      waiting_(std::move(other.waiting_)),
      length_(other.length_) {}

OutputFile::~OutputFile() {
  if (descriptor_ > STDERR_FILENO) ::close(descriptor_);
}

Status OutputFile::write(std::string_view text) {
  if (compressor_) {
    TRY(compressor_->add(text, waiting_));
  } else {
    waiting_ += text;
  }
  return waiting_.size() >= kWriteBytes ? write_out() : Status();
}

Status OutputFile::write_out() {
  size_t written = 0;
  while (written < waiting_.size()) {
    const ssize_t bytes = ::write(descriptor_, waiting_.data() + written, waiting_.size() - written);
    if (bytes < 0 && errno == EINTR) continue;
    if (bytes < 0) return system_error("write to", path_);
    written += static_cast<size_t>(bytes);
  }
  length_ += written;
  waiting_.clear();
  return {};
}

Result<uint64_t> OutputFile::sync() {
  if (compressor_) TRY(compressor_->end_member(waiting_));
  TRY(write_out());
  // Pipes and terminals cannot be synced, and need not be.
  if (::fdatasync(descriptor_) != 0 && errno != EINVAL && errno != EROFS && errno != ENOTSUP)
    return system_error("write to", path_);
  return length_;
}

}  // namespace partita::tools::transfer
