#include "client/session_tokens.h"

#include <charconv>
#include <tuple>

namespace partita::client {
namespace {

// Ranges that are split leave their tokens behind; this many are more than a container has.
constexpr size_t kRangesMax = 100'000;

bool read_number(std::string_view text, int64_t& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

void SessionTokens::note(std::string_view text) {
  std::lock_guard lock(mutex_);
  while (!text.empty()) {
    const size_t comma = std::min(text.find(','), text.size());
    note_one(text.substr(0, comma));
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
}

void SessionTokens::note_one(std::string_view token) {
  const size_t colon = token.find(':');
  if (colon == std::string_view::npos || colon == 0) return;
  const std::string_view vector = token.substr(colon + 1);
  const size_t lsn_start = vector.find('#');
  Token read;
  if (lsn_start == std::string_view::npos) {
    if (!read_number(vector, read.lsn)) return;
  } else {
    const std::string_view lsn = vector.substr(lsn_start + 1, vector.find('#', lsn_start + 1) - lsn_start - 1);
    if (!read_number(vector.substr(0, lsn_start), read.version) || !read_number(lsn, read.lsn)) return;
  }
  auto found = by_range_.find(token.substr(0, colon));
  if (found == by_range_.end()) {
    if (by_range_.size() >= kRangesMax) return;
    found = by_range_.emplace(token.substr(0, colon), Token{}).first;
  } else if (std::tie(read.version, read.lsn) <= std::tie(found->second.version, found->second.lsn)) {
    return;
  }
  read.text = token;
  found->second = std::move(read);
  is_joined_ = false;
}

std::string SessionTokens::text() const {
  std::lock_guard lock(mutex_);
  if (!is_joined_) {
    joined_.clear();
    for (const auto& [range, token] : by_range_) joined_.append(joined_.empty() ? "" : ",").append(token.text);
    is_joined_ = true;
  }
  return joined_;
}

void SessionTokens::clear() {
  std::lock_guard lock(mutex_);
  by_range_.clear();
  joined_.clear();
  is_joined_ = true;
}

}  // namespace partita::client
