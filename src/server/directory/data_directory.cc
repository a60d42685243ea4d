#include "server/directory/data_directory.h"

#include "base/check.h"
#include "observe/log.h"
#include "server/directory/private_files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

namespace partita::server {
namespace {

constexpr std::string_view kFormatWord = "partita";
constexpr std::string_view kUpgradeWord = "from";

std::string format_text(int format) { return fmt::format("{} {}\n", kFormatWord, format); }

std::unexpected<Error> unusable(const std::string& path, std::string_view why) {
  return fail(ErrorCode::kStorageFailure, fmt::format("the data directory {} cannot be used: {}", path, why));
}

std::string read_all(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// Whole or not at all, also after a power cut.
Status write_format(const std::string& path, const std::string& text) {
  const std::string temporary = path + "/FORMAT.new";
  const int file = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  const bool is_written =
      file >= 0 && ::write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size()) && ::fsync(file) == 0;
  if (file >= 0) ::close(file);
  if (!is_written || ::rename(temporary.c_str(), (path + "/FORMAT").c_str()) != 0) return unusable(path, std::strerror(errno));
  const int directory = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const bool is_synced = directory >= 0 && ::fsync(directory) == 0;
  if (directory >= 0) ::close(directory);
  return is_synced ? Status() : unusable(path, std::strerror(errno));
}

Result<int> read_format(const std::string& path) {
  std::istringstream text(read_all(path + "/FORMAT"));
  std::string word;
  int format = 0;
  text >> word >> format;
  if (word != kFormatWord || format < 1) return unusable(path, "its file FORMAT is not one of Partita's");
  if (text >> word && format <= kDataFormat) {
    int upgraded_from = 0;
    text >> upgraded_from;
    if (word != kUpgradeWord || upgraded_from != format - 1) return unusable(path, "its file FORMAT is not one of Partita's");
    format = upgraded_from;
  }
  if (format > kDataFormat) {
    return unusable(path, fmt::format("it was written by a newer version (format {}, this one reads up to {}); use that version",
                                      format, kDataFormat));
  }
  if (format < kDataFormatMin) {
    return unusable(path,
                    fmt::format("it has format {}, of a time before the first release, and this version reads {} to {}; use "
                                "another directory, or the version that wrote it",
                                format, kDataFormatMin, kDataFormat));
  }
  return format;
}

std::unexpected<Error> no_format(const std::string& path) { return unusable(path, "it has a store, but no file FORMAT"); }

Result<int> read_or_make_format(const std::string& path) {
  if (std::filesystem::exists(path + "/FORMAT")) return read_format(path);
  if (std::filesystem::exists(path + "/store")) return no_format(path);
  TRY(write_format(path, format_text(kDataFormat)));
  return kDataFormat;
}

std::unexpected<Error> in_use(const std::string& path) {
  const std::string owner = read_all(path + "/lock");
  return unusable(
      path, fmt::format("another server{} uses it. Stop that one first, or give this one a directory of its own with --data",
                        owner.empty() ? "" : fmt::format(" (process {})", owner.substr(0, owner.find('\n')))));
}

// Only what is the server's: somebody may have given it a directory with other things in it.
void close_to_others(const std::string& path) {
  const std::vector<std::string> own = {"FORMAT", "lock", "store", "tls"};
  std::string failed;
  for (const std::string& name : own) {
    if (failed.empty()) failed = make_private(path + "/" + name);
  }
  std::error_code error;
  const bool has_only_own = std::ranges::all_of(std::filesystem::directory_iterator(path, error), [&](const auto& entry) {
    return std::ranges::find(own, entry.path().filename().string()) != own.end();
  });
  if (failed.empty() && has_only_own && !take_from_others(path)) failed = path;
  if (failed.empty()) return;
  spdlog::warn("other users of this machine may be able to read {}, and its mode cannot be changed", failed);
}

}  // namespace

Result<DataDirectory> DataDirectory::open(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) return unusable(path, error.message());
  const std::string lock_path = path + "/lock";
  const int lock = ::open(lock_path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (lock < 0) return unusable(path, std::strerror(errno));
  if (::flock(lock, LOCK_EX | LOCK_NB) != 0) {
    ::close(lock);
    return in_use(path);
  }
  DataDirectory directory(path, lock);
  const std::string owner = fmt::format("{}\n", ::getpid());
  if (::ftruncate(lock, 0) != 0 || ::pwrite(lock, owner.data(), owner.size(), 0) < 0) return unusable(path, std::strerror(errno));
  TRY_ASSIGN(directory.format_, read_or_make_format(path));
  std::filesystem::create_directories(directory.store_path(), error);
  if (!error) std::filesystem::create_directories(directory.tls_path(), error);
  if (error) return unusable(path, error.message());
  close_to_others(path);
  return directory;
}

Result<DataDirectory> DataDirectory::open_to_read(const std::string& path) {
  TRY(expect(path));
  // Where there is no such file, nobody ever used the directory; some file systems know no locks.
  const int lock = ::open((path + "/lock").c_str(), O_RDONLY | O_CLOEXEC);
  if (lock < 0 && errno != ENOENT) return unusable(path, std::strerror(errno));
  DataDirectory directory(path, lock);
  if (lock >= 0 && ::flock(lock, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK) return in_use(path);
  std::error_code unknown;
  if (!std::filesystem::exists(path + "/FORMAT", unknown) && !unknown) return no_format(path);
  TRY_ASSIGN(directory.format_, read_format(path));
  return directory;
}

Status DataDirectory::begin_upgrade() {
  CHECK(format_ < kDataFormat);
  return write_format(path_, fmt::format("{} {} {} {}\n", kFormatWord, format_ + 1, kUpgradeWord, format_));
}

Status DataDirectory::end_upgrade() {
  TRY(write_format(path_, format_text(format_ + 1)));
  ++format_;
  return {};
}

Status DataDirectory::expect(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::exists(path + "/FORMAT", ignored) || std::filesystem::exists(path + "/store", ignored)) return {};
  return unusable(path, "it holds no server's data. Name the right one with --data");
}

DataDirectory::DataDirectory(DataDirectory&& other) noexcept
    : path_(std::move(other.path_)), lock_(std::exchange(other.lock_, -1)), format_(other.format_) {}

DataDirectory& DataDirectory::operator=(DataDirectory&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(lock_, other.lock_);
  std::swap(format_, other.format_);
  return *this;
}

DataDirectory::~DataDirectory() {
  if (lock_ >= 0) ::close(lock_);
}

}  // namespace partita::server
