#pragma once

#include "base/clock.h"
#include "base/result.h"
#include "cluster/catalog/catalog.h"
#include "cluster/reshape/reshape_decider.h"
#include "cluster/reshape/split_finder.h"
#include "storage/store.h"

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace partita {

// What became of a reshape, and what it cost.
struct ReshapeReport {
  Reshape::Kind kind = Reshape::Kind::kSplit;
  std::vector<std::string> parents;   // range ids
  std::vector<std::string> children;  // range ids
  uint64_t documents = 0;             // brought over, also repeatedly when they changed meanwhile
  uint64_t bytes = 0;
  uint64_t verified = 0;  // documents of the children, compared with the parents'; only when clients were kept out
  int rounds = 0;         // of catching up, the one behind the fence included
  int64_t copy_us = 0;    // from the first document to the fence
  int64_t pause_us = 0;   // how long writers of the parents waited
};

// Reshaper: splits, merges and re-keys partitions while they serve, on demand and when the decider says so.
//
// A reshape goes through journaled states: prepared (the children have numbers), copying (from a snapshot, then what has changed
// since, round by round), fenced (writers wait; the last changes), published (one batch changes the map), and its end, when
// nobody uses the parents any more and their rows are dropped. Killed before it is published it starts anew, later only dropping
// is left. Thread-safe; one reshape runs at a time.
class Reshaper {
 public:
  Reshaper(Store& store, Catalog& catalog, const Clock& clock, ReshapeLimits limits)
      : store_(store), catalog_(catalog), clock_(clock), limits_(limits) {}
  ~Reshaper() { stop(); }

  // In a mode other than kOnline, clients are kept from writing, or from everything, until it is done, and before it is published
  // the documents of the parents and of the children are counted and compared by a checksum (kCorruption).
  //
  // Without a hash to cut at, the finder's. kInvalidInput when no cut helps, kPartitionGone when there is no such partition.
  Result<ReshapeReport> split(std::string_view database, std::string_view container, std::string_view range_id,
                              const std::optional<EffectivePartitionKey>& at = std::nullopt,
                              ContainerMode mode = ContainerMode::kOnline);
  // The partition and its right neighbour become one. kInvalidInput when the throughput needs both.
  Result<ReshapeReport> merge(std::string_view database, std::string_view container, std::string_view left_range_id,
                              ContainerMode mode = ContainerMode::kOnline);
  // Every document moves to where the new partition key places it. kAlreadyExists when two would have the same id in one logical
  // partition. Paths of the key may name computed properties: those of `computed`, an array as clients write it, else the
  // container's own. Documents get their values (key_change.h).
  Result<ReshapeReport> rekey(std::string_view database, std::string_view container, const PartitionKeyDefinition& key,
                              ContainerMode mode = ContainerMode::kOnline, const Value& computed = {});

  // What there is to do now: reshapes that a crash has interrupted, what the decider proposes, dropping what nobody uses.
  // True when something was done. What fails is noted with the catalog, left alone for a while, and keeps nothing else from being
  // done; the first failure when nothing was done.
  Result<bool> work();

  // Drops the rows of partitions that were split or merged and that nobody uses any more.
  Status drop_retired();

  // Works in the background, and runs what is posted, one after the other; between two of these it does what there is to do by
  // itself.
  void start();
  // Gives up what is under way and lets what was posted fail.
  void stop();
  // False, and the task is still there, when too many wait already.
  [[nodiscard]] bool post(std::move_only_function<void()>& task);

 private:
  struct Retired {
    Reshape reshape;
    std::vector<std::shared_ptr<Partition>> partitions;
    int64_t since_us = 0;  // steady
  };

  Result<ReshapeReport> carry_out(const Reshape& plan);
  Result<ReshapeReport> attempt(const Reshape& reshape);
  Status drop(const std::vector<Slice>& slices);
  Result<ReshapeReport> bring_over(const Reshape& reshape, const Container& container);
  Status drop_unused();
  bool is_unused(const Retired& retired) const;
  Status drop_rows(const Retired& retired);
  // What they did, and the first failure.
  struct Worked {
    bool has_done_something = false;
    Status outcome;

    void add(const Status& next);
  };
  void resume_interrupted(Worked& worked);
  Status resume(const Reshape& reshape);
  void take_steps(Worked& worked);
  std::string name_of_container(const Reshape& reshape) const;
  size_t partitions_needed(const Container& container) const;
  std::optional<ReshapeStep> step_for(const Container& container) const;
  Status take_step(const Container& container, const ReshapeStep& step);
  void note_stuck(const Container& container, const ReshapeReport& report);
  Result<std::shared_ptr<const Container>> find(uint32_t database, uint32_t container) const;
  Result<ReshapeReport> split_place(const Container& container, const PartitionPlace& place, SplitAim aim,
                                    const std::optional<EffectivePartitionKey>& at, ContainerMode mode);
  Result<ReshapeReport> merge_places(const Container& container, const PartitionPlace& left, const PartitionPlace& right,
                                     ContainerMode mode);
  void run();

  Store& store_;
  Catalog& catalog_;
  const Clock& clock_;
  const ReshapeLimits limits_;

  std::mutex working_;
  std::vector<Retired> retired_;                          // guarded by working_
  std::map<PartitionId, uint64_t> documents_when_stuck_;  // guarded by working_: partitions that no cut helps

  std::atomic<bool> is_cancelled_ = false;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::move_only_function<void()>> tasks_;  // guarded by mutex_
  bool stopping_ = false;                              // guarded by mutex_
  std::thread thread_;
};

// How a partition's documents are spread over its hashes, from its primary keys and a sample of its documents' sizes.
Result<std::vector<HashWeight>> weigh_hashes(const Slice& slice, const PartitionKeyDefinition& key);

// Adds the load: what hot key values are known to take goes to their hashes, the rest evenly to all documents.
void spread_load(std::vector<HashWeight>& weights, const Heat::Report& heat);

}  // namespace partita
