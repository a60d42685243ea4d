#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>

namespace partita {

// ShortQueries: which queries are worth a try on the thread of their connection, by their texts. Thread-safe.
//
// At first all are. One that took too long there goes to a worker at once, the next times that it comes; then it is tried anew,
// because parameters and documents change. Texts with one hash share their fate.
class ShortQueries {
 public:
  bool is_worth_a_try(std::string_view text) {
    std::atomic<uint8_t>& turns = turns_to_wait_[slot_of(text)];
    const uint8_t left = turns.load(std::memory_order_relaxed);
    if (left == 0) return true;
    turns.store(static_cast<uint8_t>(left - 1), std::memory_order_relaxed);
    return false;
  }
  void note_long(std::string_view text) { turns_to_wait_[slot_of(text)].store(kTurns, std::memory_order_relaxed); }

 private:
  static constexpr size_t kSlots = 4096;
  static constexpr uint8_t kTurns = 100;

  static size_t slot_of(std::string_view text) { return std::hash<std::string_view>()(text) % kSlots; }

  std::array<std::atomic<uint8_t>, kSlots> turns_to_wait_{};
};

}  // namespace partita
