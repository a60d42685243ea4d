#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace partita::tools {

// HistoryFile: what was typed, in a file that only its owner can read. Never fails: a history that cannot be kept is no reason to
// stop. Not thread-safe.
//
// What has the account's key in it, or looks like a key or a token, is not kept; nor is what begins with a blank.
class HistoryFile {
 public:
  static constexpr size_t kEntriesMax = 1'000;
  static constexpr size_t kEntryBytesMax = 10'000;

  // An empty path: nothing is kept.
  HistoryFile(std::string path, std::string key);

  // The oldest first. A longer file is cut to the newest.
  const std::vector<std::string>& entries() const { return entries_; }
  // Whether it was kept.
  bool add(std::string_view entry);

 private:
  bool is_secret(std::string_view entry) const;
  void write(std::string_view text, int flags) const;

  std::string path_;
  std::string key_;
  std::vector<std::string> entries_;
};

// PARTITA_HISTORY if it is set, else .partita_history in the home directory.
std::string history_path();

}  // namespace partita::tools
