#pragma once

#include "engine/identity.h"

#include <cstdint>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace partita {

// ChangeWatch: which documents of a partition were written or deleted since somebody began to watch. Thread-safe; one entry per
// document, however often it changes.
class ChangeWatch {
 public:
  void note(Lsn lsn, const std::vector<DocumentNumber>& numbers) {
    std::lock_guard lock(mutex_);
    for (DocumentNumber number : numbers) changes_[number.value] = lsn.value;
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
  mutable std::mutex mutex_;
  std::unordered_map<uint64_t, uint64_t> changes_;  // document number, LSN of its last change
};

}  // namespace partita
