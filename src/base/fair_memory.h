#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace partita {

// FairMemory: so many bytes that several tenants share. Thread-safe.
//
// A tenant may hold at most three times as many bytes as are still free for the others: alone it gets three quarters of them, two
// tenants get three sevenths each, and so on; whoever comes later finds something, whatever those before it took. Tenants are
// told apart by a number, and by a few bits of its hash only: two that fall together share what one would get.
class FairMemory {
 public:
  explicit FairMemory(size_t bytes) : bytes_(bytes), free_(static_cast<int64_t>(bytes)) {}
  FairMemory(const FairMemory&) = delete;
  FairMemory& operator=(const FairMemory&) = delete;

  // Whose bytes are wanted.
  enum class Claim {
    kShare,    // of the tenant's share
    kReserve,  // of what is kept for others, at most half of that: for what can hardly be refused any more
    kAlways,   // for what is there already; others find less, maybe nothing
  };

  // False, and nothing is taken, when the tenant would have more than it may.
  [[nodiscard]] bool take(uint64_t tenant, size_t bytes, Claim claim = Claim::kShare) {
    const auto wanted = static_cast<int64_t>(bytes);
    // Taken first and looked at afterwards, so that of two that come at once never both get the last bytes.
    const int64_t is_held = slot_of(tenant).fetch_add(wanted, std::memory_order_relaxed) + wanted;
    const int64_t is_free = free_.fetch_sub(wanted, std::memory_order_relaxed) - wanted;
    if (claim == Claim::kAlways) return true;
    if (claim == Claim::kShare ? is_held <= kShareOfFree * is_free : wanted <= is_free) return true;
    give_back(tenant, bytes);
    return false;
  }
  void give_back(uint64_t tenant, size_t bytes) {
    slot_of(tenant).fetch_sub(static_cast<int64_t>(bytes), std::memory_order_relaxed);
    free_.fetch_add(static_cast<int64_t>(bytes), std::memory_order_relaxed);
  }

  size_t bytes() const { return bytes_; }
  // What a tenant can have while there is no other.
  size_t largest_share() const { return bytes_ / (kShareOfFree + 1) * kShareOfFree; }
  size_t held(uint64_t tenant) const { return static_cast<size_t>(held_[slot(tenant)].load(std::memory_order_relaxed)); }
  // More than bytes() only after Claim::kAlways.
  size_t taken() const { return bytes_ - static_cast<size_t>(free_.load(std::memory_order_relaxed)); }

 private:
  static constexpr size_t kSlotBits = 8;
  static constexpr int64_t kShareOfFree = 3;

  // Multiplied, so that all bits count.
  static size_t slot(uint64_t tenant) { return (tenant * 0x9E3779B97F4A7C15ULL) >> (64 - kSlotBits); }
  std::atomic<int64_t>& slot_of(uint64_t tenant) { return held_[slot(tenant)]; }

  const size_t bytes_;
  std::atomic<int64_t> free_;
  std::array<std::atomic<int64_t>, 1U << kSlotBits> held_{};
};

// MemoryLoan: what one taker has of a FairMemory; given back at its end. Without a memory to share it gets what it wants. Not
// thread-safe.
class MemoryLoan {
 public:
  MemoryLoan() = default;
  MemoryLoan(FairMemory* memory, uint64_t tenant) : memory_(memory), tenant_(tenant) {}
  MemoryLoan(MemoryLoan&& other) noexcept
      : memory_(other.memory_), tenant_(other.tenant_), bytes_(std::exchange(other.bytes_, 0)) {}
  MemoryLoan& operator=(MemoryLoan&& other) noexcept {
    if (this != &other) {
      shrink_to(0);
      memory_ = other.memory_;
      tenant_ = other.tenant_;
      bytes_ = std::exchange(other.bytes_, 0);
    }
    return *this;
  }
  ~MemoryLoan() { shrink_to(0); }

  // False, and the loan stays as it is, when there is not enough.
  [[nodiscard]] bool grow_to(size_t bytes, FairMemory::Claim claim = FairMemory::Claim::kShare) {
    if (bytes <= bytes_) return true;
    if (memory_ != nullptr && !memory_->take(tenant_, bytes - bytes_, claim)) return false;
    bytes_ = bytes;
    return true;
  }
  void shrink_to(size_t bytes) {
    if (bytes >= bytes_) return;
    if (memory_ != nullptr) memory_->give_back(tenant_, bytes_ - bytes);
    bytes_ = bytes;
  }
  size_t bytes() const { return bytes_; }
  uint64_t tenant() const { return tenant_; }

 private:
  FairMemory* memory_ = nullptr;
  uint64_t tenant_ = 0;
  size_t bytes_ = 0;
};

}  // namespace partita
