#pragma once

#include "tools/transfer/import/destination.h"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace partita::tools::transfer {

// Writes with their answers, or one that was read to be compared.
struct AnsweredBatch {
  std::vector<PendingWrite> writes = {};
  std::vector<WriteAnswer> answers = {};  // as many as writes, unless there is
  std::optional<ReadAnswer> found = {};
};

// AnswerQueue: from the threads of a destination to that of the importer. Thread-safe; bounded by what is in flight.
class AnswerQueue {
 public:
  void push(AnsweredBatch batch) {
    const std::lock_guard lock(mutex_);
    batches_.push_back(std::move(batch));
    changed_.notify_one();
  }
  // All that there are, at once.
  std::vector<AnsweredBatch> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(batches_, {});
  }
  // Until there is one, or so long.
  void wait(std::chrono::milliseconds longest) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, longest, [&] { return !batches_.empty(); });
  }

 private:
  std::mutex mutex_;  // guards batches_
  std::condition_variable changed_;
  std::vector<AnsweredBatch> batches_;
};

}  // namespace partita::tools::transfer
