#include "tools/bench/load/document_numbers.h"

namespace partita::tools::bench {

uint64_t DocumentNumbers::take() {
  std::lock_guard lock(mutex_);
  if (returned_.empty()) return next_++;
  const uint64_t number = returned_.back();
  returned_.pop_back();
  return number;
}

void DocumentNumbers::acknowledge(uint64_t number) {
  std::lock_guard lock(mutex_);
  uint64_t readable = readable_.load(std::memory_order_relaxed);
  if (number != readable) {
    acknowledged_.insert(number);
    return;
  }
  ++readable;
  while (!acknowledged_.empty() && *acknowledged_.begin() == readable) {
    acknowledged_.erase(acknowledged_.begin());
    ++readable;
  }
  readable_.store(readable, std::memory_order_release);
}

void DocumentNumbers::give_back(uint64_t number) {
  std::lock_guard lock(mutex_);
  returned_.push_back(number);
}

}  // namespace partita::tools::bench
