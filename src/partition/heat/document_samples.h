#pragma once

#include "base/memory_budget.h"
#include "engine/item/identity.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

namespace partita {

// DocumentSamples: a sample of the requests of the last hour, with the documents that each touched: for whoever asks what another
// partition key would make of them. Numbers only: neither keys nor contents.
//
// Thread-safe. Of every kSampling requests one is looked at, of each minute at most kPerMinute are kept, every one that was
// looked at with the same chance: some 80 KB for a partition that is always busy, nothing for one that is idle. That is taken
// from a memory that others share; when nothing is left, nothing is kept.
class DocumentSamples {
 public:
  static constexpr uint64_t kSampling = 8;
  static constexpr size_t kMinutes = 60;
  static constexpr size_t kPerMinute = 24;
  static constexpr size_t kDocumentsPerRequest = 4;  // of a larger transaction, its first

  enum class Kind : uint8_t { kRead, kWrite };
  struct Request {
    Kind kind = Kind::kWrite;
    uint8_t documents = 0;
    int64_t minute = 0;  // in which it was, since 1970
    double units = 0;    // that it stands for: its own, and those of all that were not kept
    std::array<DocumentNumber, kDocumentsPerRequest> numbers{};

    std::span<const DocumentNumber> touched() const { return std::span(numbers).first(documents); }
  };

  // Without a memory there is no limit.
  explicit DocumentSamples(std::shared_ptr<MemoryBudget> memory = nullptr) : memory_(std::move(memory)) {}
  DocumentSamples(const DocumentSamples&) = delete;
  DocumentSamples& operator=(const DocumentSamples&) = delete;
  ~DocumentSamples();

  void set_enabled(bool is_enabled) { is_enabled_.store(is_enabled, std::memory_order_relaxed); }
  bool is_enabled() const { return is_enabled_.load(std::memory_order_relaxed); }
  // Whether the request that ends now is one to note. Cheap.
  bool wants_next();
  // REQUIRES: wants_next().
  void note(int64_t minute, Kind kind, std::span<const DocumentNumber> documents, double units);
  // Of the last kMinutes, the oldest first.
  std::vector<Request> requests(int64_t minute) const;

 private:
  struct Minute {
    int64_t number = -1;
    uint64_t seen = 0;
    double units = 0;  // of all that were seen
    std::vector<Request> kept;
  };

  static constexpr size_t kMinuteBytes = kPerMinute * sizeof(Request);

  // Memory for what a minute keeps; all of it, once. REQUIRES: mutex_.
  bool has_memory(Minute& slot);
  void forget_before(int64_t minute);
  void give_back(Minute& slot);

  const std::shared_ptr<MemoryBudget> memory_;
  std::atomic<bool> is_enabled_ = true;
  std::atomic<uint64_t> ordinal_ = 0;
  mutable std::mutex mutex_;
  std::array<Minute, kMinutes> minutes_;  // guarded by mutex_
};

}  // namespace partita
