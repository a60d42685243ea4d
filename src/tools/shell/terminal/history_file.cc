#include "tools/shell/terminal/history_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>

namespace partita::tools {
namespace {

constexpr size_t kFileBytesMax = 4 << 20;
constexpr mode_t kOwnerOnly = S_IRUSR | S_IWUSR;

std::string read_file(const std::string& path) {
  std::string text;
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (file < 0) return text;
  std::array<char, 16384> buffer{};
  while (text.size() < kFileBytesMax) {
    const ssize_t bytes = ::read(file, buffer.data(), buffer.size());
    if (bytes <= 0) break;
    text.append(buffer.data(), static_cast<size_t>(bytes));
  }
  ::close(file);
  return text;
}

}  // namespace

std::string history_path() {
  if (const char* path = std::getenv("PARTITA_HISTORY"); path != nullptr) return path;
  const char* home = std::getenv("HOME");
  return home == nullptr || *home == '\0' ? std::string() : fmt::format("{}/.partita_history", home);
}

HistoryFile::HistoryFile(std::string path, std::string key) : path_(std::move(path)), key_(std::move(key)) {
  if (path_.empty()) return;
  const std::string text = read_file(path_);
  for (std::string_view rest = text; !rest.empty();) {
    const size_t end = std::min(rest.find('\n'), rest.size());
    if (end > 0) entries_.emplace_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  if (entries_.size() <= kEntriesMax) return;
  entries_.erase(entries_.begin(), entries_.end() - static_cast<ptrdiff_t>(kEntriesMax));
  std::string newest;
  for (const std::string& entry : entries_) newest.append(entry).append("\n");
  write(newest, O_TRUNC);
}

bool HistoryFile::add(std::string_view entry) {
  if (entry.empty() || entry.front() == ' ' || entry.size() > kEntryBytesMax || is_secret(entry)) return false;
  std::string line(entry);
  std::ranges::replace(line, '\n', ' ');
  if (!entries_.empty() && entries_.back() == line) return true;
  entries_.push_back(line);
  if (entries_.size() > kEntriesMax) entries_.erase(entries_.begin());
  if (!path_.empty()) write(line + "\n", O_APPEND);
  return true;
}

bool HistoryFile::is_secret(std::string_view entry) const {
  constexpr std::array<std::string_view, 5> kSigns = {"AccountKey=", "type=master", "type%3dmaster", "type=resource",
                                                      "type%3dresource"};
  if (!key_.empty() && entry.find(key_) != std::string_view::npos) return true;
  return std::ranges::any_of(kSigns, [&](std::string_view sign) { return entry.find(sign) != std::string_view::npos; });
}

void HistoryFile::write(std::string_view text, int flags) const {
  const int file = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | flags, kOwnerOnly);
  if (file < 0) return;
  const bool is_private = ::fchmod(file, kOwnerOnly) == 0;
  while (is_private && !text.empty()) {
    const ssize_t bytes = ::write(file, text.data(), text.size());
    if (bytes <= 0) break;
    text.remove_prefix(static_cast<size_t>(bytes));
  }
  ::close(file);
}

}  // namespace partita::tools
