#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

namespace partita::client {

// SessionTokens: how far this client has seen each partition of one container. Thread-safe.
//
// A token is `<range>:<version>#<LSN>` with more behind it; of two of one range, the one with the higher version counts, else
// the one with the higher LSN. What cannot be read is ignored.
class SessionTokens {
 public:
  // What an answer says: one token, or several with commas.
  void note(std::string_view text);
  // What a read says; empty when nothing is known.
  std::string text() const;
  void clear();

 private:
  struct Token {
    int64_t version = 0;
    int64_t lsn = 0;
    std::string text;
  };
  void note_one(std::string_view token);

  mutable std::mutex mutex_;  // guards what follows
  std::map<std::string, Token, std::less<>> by_range_;
  mutable std::string joined_;
  mutable bool is_joined_ = true;
};

}  // namespace partita::client
