#include "tools/advise/sketch/time_windows.h"

#include <algorithm>

namespace partita::tools::advise {

size_t TimeWindows::at(int64_t seconds, std::vector<size_t>& moved) {
  moved.clear();
  first_ = std::min(first_, seconds);
  last_ = std::max(last_, seconds);
  while (true) {
    const auto found = numbers_.find(seconds >> shift_);
    if (found != numbers_.end()) return found->second;
    if (numbers_.size() < kWindowsMax) return numbers_.emplace(seconds >> shift_, numbers_.size()).first->second;
    std::vector<size_t> step = double_length();
    if (moved.empty()) {
      moved = std::move(step);
    } else {
      for (size_t& number : moved) number = step[number];
    }
  }
}

std::vector<size_t> TimeWindows::double_length() {
  ++shift_;
  std::vector<size_t> moved(numbers_.size());
  std::map<int64_t, size_t> doubled;
  for (const auto& [window, number] : numbers_) {
    moved[number] = doubled.emplace(window >> 1, doubled.size()).first->second;
  }
  numbers_ = std::move(doubled);
  return moved;
}

std::vector<size_t> TimeWindows::in_order() const {
  std::vector<size_t> order;
  for (const auto& [window, number] : numbers_) order.push_back(number);
  return order;
}

}  // namespace partita::tools::advise
