#include "server/directory/private_files.h"

#include <sys/stat.h>

#include <filesystem>

namespace partita::server {
namespace {

using std::filesystem::perms;

constexpr perms kOthers = perms::group_all | perms::others_all;

}  // namespace

bool take_from_others(const std::string& path) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::symlink_status(path, error);
  if (error || std::filesystem::is_symlink(status) || (status.permissions() & kOthers) == perms::none) return !error;
  std::filesystem::permissions(path, kOthers, std::filesystem::perm_options::remove, error);
  return !error;
}

void write_for_owner_only() { ::umask(S_IRWXG | S_IRWXO); }

std::string make_private(const std::string& path) {
  // The directory first: then nobody gets to what is in it any more.
  std::string failed = take_from_others(path) ? "" : path;
  std::error_code error;
  for (auto each = std::filesystem::recursive_directory_iterator(path, error);
       !error && each != std::filesystem::recursive_directory_iterator(); each.increment(error)) {
    if (!take_from_others(each->path().string()) && failed.empty()) failed = each->path().string();
  }
  return failed;
}

}  // namespace partita::server
