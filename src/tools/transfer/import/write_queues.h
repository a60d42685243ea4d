#pragma once

#include "tools/transfer/import/destination.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace partita::tools::transfer {

// WriteQueues: documents that wait to be sent, by the partition that they belong to. Not thread-safe.
class WriteQueues {
 public:
  struct Batch {
    std::string range_id = {};
    std::vector<PendingWrite> writes = {};
  };

  explicit WriteQueues(size_t batch_max) : batch_max_(batch_max) {}

  // Also after documents were queued: they are divided anew. The ranges are in the order of their hashes and cover all.
  void set_ranges(std::vector<client::PartitionRange> ranges);
  void add(PendingWrite write);
  // A batch that is full, or the fullest one when `any_will_do`; nothing when there is none.
  std::optional<Batch> take(bool any_will_do);
  size_t size() const { return size_; }

 private:
  struct Queue {
    std::vector<PendingWrite> writes;
    size_t bytes = 0;
  };

  size_t range_of(const EffectivePartitionKey& hash) const;
  bool is_full(const Queue& queue) const;
  Batch take_from(size_t range);

  size_t batch_max_;
  std::vector<client::PartitionRange> ranges_;
  std::vector<Queue> queues_;  // one for each range
  std::vector<size_t> full_;   // ranges with a full queue
  std::vector<Batch> alone_;   // of one document each
  size_t size_ = 0;
};

}  // namespace partita::tools::transfer
