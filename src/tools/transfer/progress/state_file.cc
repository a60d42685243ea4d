#include "tools/transfer/progress/state_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

namespace partita::tools::transfer {
namespace {

constexpr mode_t kFileMode = 0600;
constexpr size_t kStateBytesMax = size_t{16} << 20;

std::unexpected<Error> system_error(std::string_view what, const std::string& path) {
  return fail(ErrorCode::kStorageFailure, fmt::format("cannot {} {}: {}", what, path, std::strerror(errno)));
}

Status lock(int descriptor, const std::string& path) {
  if (::flock(descriptor, LOCK_EX | LOCK_NB) == 0) return {};
  if (errno != EWOULDBLOCK) return system_error("lock", path);
  return fail(ErrorCode::kAlreadyExists, fmt::format("another process uses {}: wait until it ends", path));
}

bool is_file_at(int descriptor, const std::string& path) {
  struct stat open_file{};
  struct stat named{};
  return ::fstat(descriptor, &open_file) == 0 && ::stat(path.c_str(), &named) == 0 && open_file.st_ino == named.st_ino &&
         open_file.st_dev == named.st_dev;
}

Status write_all(int descriptor, std::string_view text, const std::string& path) {
  while (!text.empty()) {
    const ssize_t bytes = ::write(descriptor, text.data(), text.size());
    if (bytes < 0 && errno == EINTR) continue;
    if (bytes < 0) return system_error("write to", path);
    text.remove_prefix(static_cast<size_t>(bytes));
  }
  return ::fsync(descriptor) == 0 ? Status() : system_error("write to", path);
}

Status sync_folder_of(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().native();
  const int descriptor = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return system_error("open", folder);
  (void)::fsync(descriptor);
  ::close(descriptor);
  return {};
}

}  // namespace

// The file is replaced by each save(), so it may be another one by the time the lock is there.
Result<StateFile> StateFile::open(const std::string& path) {
  while (true) {
    const int descriptor = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
    if (descriptor < 0 && errno == ENOENT) return StateFile(path, -1);
    if (descriptor < 0) return system_error("open", path);
    StateFile file(path, descriptor);
    TRY(lock(descriptor, path));
    if (is_file_at(descriptor, path)) return file;
  }
}

StateFile::StateFile(StateFile&& other) noexcept
    : path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, -1)) {}

StateFile::~StateFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Result<std::optional<Checkpoint>> StateFile::load() const {
  if (descriptor_ < 0) return std::optional<Checkpoint>();
  std::string text;
  std::array<char, 4096> piece{};
  while (text.size() < kStateBytesMax) {
    const ssize_t bytes = ::pread(descriptor_, piece.data(), piece.size(), static_cast<off_t>(text.size()));
    if (bytes < 0 && errno == EINTR) continue;
    if (bytes < 0) return system_error("read", path_);
    if (bytes == 0) break;
    text.append(piece.data(), static_cast<size_t>(bytes));
  }
  Result<Checkpoint> checkpoint = Checkpoint::parse(text);
  if (checkpoint) return std::optional(std::move(*checkpoint));
  return fail(ErrorCode::kInvalidInput,
              fmt::format("{} is no state of a transfer: {}; delete it to begin anew", path_, checkpoint.error().message));
}

Status StateFile::save(const Checkpoint& checkpoint) {
  const std::string temporary = path_ + ".new";
  const int descriptor = ::open(temporary.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, kFileMode);
  if (descriptor < 0) return system_error("write", temporary);
  StateFile written(temporary, descriptor);  // closes it
  TRY(lock(descriptor, temporary));
  TRY(write_all(descriptor, checkpoint.to_json() + "\n", temporary));
  if (::rename(temporary.c_str(), path_.c_str()) != 0) return system_error("rename", temporary);
  std::swap(descriptor_, written.descriptor_);
  return sync_folder_of(path_);
}

Status StateFile::remove() {
  if (descriptor_ >= 0 && ::unlink(path_.c_str()) != 0) return system_error("delete", path_);
  return {};
}

}  // namespace partita::tools::transfer
