#pragma once

#include "engine/item/identity.h"

#include <cstdint>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace partita {

// Changed documents that one watch remembers, 40 bytes each: what a partition with a budget can change in half an hour, which is
// longer than it is copied.
inline constexpr size_t kWatchedChangesMax = 4'000'000;

// ChangeWatch: which documents of a partition were written or deleted since somebody began to watch. Thread-safe; one entry per
// document, however often it changes. With too many it gives up: has_overflowed(), for ever.
class ChangeWatch {
 public:
  explicit ChangeWatch(size_t changes_max = kWatchedChangesMax) : changes_max_(changes_max) {}

  void note(Lsn lsn, const std::vector<DocumentNumber>& numbers) {
    std::lock_guard lock(mutex_);
    if (has_overflowed_) return;
    for (DocumentNumber number : numbers) changes_[number.value] = lsn.value;
    if (changes_.size() <= changes_max_) return;
    has_overflowed_ = true;
    changes_ = {};
  }

  bool has_overflowed() const {
    std::lock_guard lock(mutex_);
    return has_overflowed_;
  }

  // Documents whose last change is not behind `up_to`; they are forgotten here.
  std::vector<DocumentNumber> take(Lsn up_to) {
    std::lock_guard lock(mutex_);
    std::vector<DocumentNumber> taken;
    std::erase_if(changes_, [&](const auto& change) {
      const bool is_taken = change.second <= up_to.value;
      if (is_taken) taken.push_back(DocumentNumber{change.first});
      return is_taken;
    });
    return taken;
  }

  size_t size() const {
    std::lock_guard lock(mutex_);
    return changes_.size();
  }

 private:
  const size_t changes_max_;
  mutable std::mutex mutex_;
  bool has_overflowed_ = false;
  std::unordered_map<uint64_t, uint64_t> changes_;  // document number, LSN of its last change
};

}  // namespace partita
