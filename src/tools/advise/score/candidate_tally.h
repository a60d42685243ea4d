#pragma once

#include "tools/advise/score/candidate.h"
#include "tools/advise/sketch/distinct_count.h"
#include "tools/advise/sketch/heavy_values.h"
#include "tools/advise/sketch/lifetimes.h"
#include "tools/advise/sketch/window_loads.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace partita::tools::advise {

// Requests in one window of time.
struct WindowUse {
  size_t window = 0;  // of TimeWindows
  double units = 0;   // request units
};

// What one document adds to every candidate alike.
struct DocumentLoad {
  uint64_t bytes = 0;  // stored
  double units = 0;    // request units that are spent on it
  uint64_t draw = 0;   // its own random number
  std::optional<int64_t> seconds = {};
  std::optional<size_t> window = {};     // of TimeWindows
  std::span<const WindowUse> uses = {};  // when it was asked for, in windows of their own
};

// Requests at one time.
struct UseTime {
  int64_t seconds = 0;  // since 1970
  double units = 0;     // request units
};

// What was observed of a document, beside its being there.
struct DocumentUse {
  double units = 0;                         // request units
  std::vector<uint32_t> transactions = {};  // that it was part of
  std::vector<UseTime> times = {};          // when it was asked for; of a transaction's documents only the first one says so
};

// What transactions of the workload would become: batches and procedures, which cannot leave one key value.
struct TransactionFigures {
  uint64_t seen = 0;
  uint64_t cut = 0;  // have documents of several key values
};

// What one physical partition gets.
struct PartitionLoadSum {
  uint64_t documents = 0;
  uint64_t bytes = 0;
  double units = 0;
};

// How skewed a load is: what the fullest partition has, relative to the mean. 1 is even.
struct Skew {
  double storage = 1;
  double requests = 1;   // all of them together
  double over_time = 1;  // at any one time, as documents say when they were made
};

// CandidateTally: how documents would be spread with one candidate. Memory is bounded by the number of partitions and of time
// windows. Not thread-safe.
class CandidateTally {
 public:
  CandidateTally(Candidate candidate, size_t partitions);

  void add(std::span<const PartitionKeyComponent* const> values, const DocumentLoad& load, const DocumentUse* use);
  // Time windows were put together: what became of each number, and how many there are now.
  void merge_windows(std::span<const size_t> moved, size_t windows);
  // The same of those in which documents were asked for.
  void merge_use_windows(std::span<const size_t> moved, size_t windows) { uses_.merge(moved, windows); }

  const Candidate& candidate() const { return candidate_; }
  const std::vector<PartitionLoadSum>& partitions() const { return partitions_; }
  uint64_t documents() const { return documents_; }
  double distinct() const;
  // Of a random half of the documents.
  double distinct_of_half() const { return half_.estimate(); }
  double undefined_share() const;
  const HeavyValues& heavy() const { return heavy_; }
  double mean_lifetime() const { return lifetimes_.mean_share(); }
  Skew skew() const;
  // At any one time, as requests came; nothing when nobody knows when they did.
  std::optional<double> skew_of_uses() const { return uses_.is_empty() ? std::nullopt : std::optional(uses_.skew()); }
  // Nothing when no document was part of one.
  std::optional<TransactionFigures> transactions() const;
  // Documents by time window, in this order of the windows' numbers, then by partition.
  std::vector<uint32_t> counts_in_order(std::span<const size_t> windows) const;

 private:
  Candidate candidate_;
  PartitionKeyDefinition definition_;
  std::vector<EffectivePartitionKey> begins_;  // of the partitions' ranges
  std::vector<PartitionLoadSum> partitions_;
  std::vector<uint32_t> windows_;  // documents by window, then by partition
  WindowLoads uses_;
  DistinctCount distinct_;
  DistinctCount half_;
  HeavyValues heavy_;
  Lifetimes lifetimes_;
  // The hash of the key of the first document; 0 once another one has a different key.
  std::unordered_map<uint32_t, uint64_t> transaction_keys_;
  uint64_t documents_ = 0;
  uint64_t undefined_ = 0;
};

}  // namespace partita::tools::advise
