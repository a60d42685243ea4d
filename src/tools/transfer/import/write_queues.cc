#include "tools/transfer/import/write_queues.h"

#include <algorithm>
#include <utility>

namespace partita::tools::transfer {
namespace {

// A server takes 2 MB in one request; documents are the most of it.
constexpr size_t kBatchBytes = 1'000'000;

}  // namespace

void WriteQueues::set_ranges(std::vector<client::PartitionRange> ranges) {
  ranges_ = std::move(ranges);
  std::vector<Queue> queues = std::exchange(queues_, std::vector<Queue>(ranges_.size()));
  const std::vector<Batch> alone = std::exchange(alone_, {});
  full_.clear();
  size_ = 0;
  for (Queue& queue : queues) {
    for (PendingWrite& write : queue.writes) add(std::move(write));
  }
  for (const Batch& batch : alone) {
    for (const PendingWrite& write : batch.writes) add(write);
  }
}

size_t WriteQueues::range_of(const EffectivePartitionKey& hash) const {
  const auto behind = std::ranges::upper_bound(ranges_, hash, {}, [](const auto& range) { return range.hashes.min; });
  return behind == ranges_.begin() ? 0 : static_cast<size_t>(behind - ranges_.begin()) - 1;
}

bool WriteQueues::is_full(const Queue& queue) const { return queue.writes.size() >= batch_max_ || queue.bytes >= kBatchBytes; }

void WriteQueues::add(PendingWrite write) {
  const size_t range = range_of(write.hash);
  ++size_;
  if (write.is_alone || write.document.size() > kBatchBytes) {
    write.is_alone = true;
    Batch batch{.range_id = ranges_[range].id};
    batch.writes.push_back(std::move(write));
    return alone_.push_back(std::move(batch));
  }
  Queue& queue = queues_[range];
  const bool was_full = is_full(queue);
  queue.bytes += write.document.size();
  queue.writes.push_back(std::move(write));
  if (!was_full && is_full(queue)) full_.push_back(range);
}

std::optional<WriteQueues::Batch> WriteQueues::take(bool any_will_do) {
  if (!alone_.empty()) {
    Batch batch = std::move(alone_.back());
    alone_.pop_back();
    --size_;
    return batch;
  }
  if (!full_.empty()) {
    const size_t range = full_.back();
    full_.pop_back();
    return take_from(range);
  }
  if (!any_will_do || size_ == 0) return std::nullopt;
  const auto fullest = std::ranges::max_element(queues_, {}, [](const Queue& queue) { return queue.writes.size(); });
  return take_from(static_cast<size_t>(fullest - queues_.begin()));
}

// Not all of a queue when more than a batch came back to it.
WriteQueues::Batch WriteQueues::take_from(size_t range) {
  Queue& queue = queues_[range];
  Batch batch{.range_id = ranges_[range].id};
  std::vector<PendingWrite> waiting = std::exchange(queue, {}).writes;
  size_ -= waiting.size();
  size_t bytes = 0;
  for (PendingWrite& write : waiting) {
    if (batch.writes.size() < batch_max_ && bytes < kBatchBytes) {
      bytes += write.document.size();
      batch.writes.push_back(std::move(write));
    } else {
      add(std::move(write));
    }
  }
  return batch;
}

}  // namespace partita::tools::transfer
