#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace partita::tools::advise {

// TimeWindows: which of at most kWindowsMax stretches of time a moment is in. They double in length when there would be more, so
// the whole span need not be known before. Not thread-safe.
class TimeWindows {
 public:
  static constexpr size_t kWindowsMax = 1024;

  // The window's number. When windows were put together for it, `moved` says what became of each old number, else it is empty.
  size_t at(int64_t seconds, std::vector<size_t>& moved);
  // The windows' numbers, the oldest first.
  std::vector<size_t> in_order() const;
  size_t size() const { return numbers_.size(); }
  int64_t length() const { return int64_t{1} << shift_; }
  // The first and last moment that was asked for. REQUIRES: size() > 0.
  int64_t first() const { return first_; }
  int64_t last() const { return last_; }

 private:
  // Puts neighbours together.
  std::vector<size_t> double_length();

  int shift_ = 0;
  int64_t first_ = INT64_MAX;
  int64_t last_ = INT64_MIN;
  std::map<int64_t, size_t> numbers_;
};

}  // namespace partita::tools::advise
