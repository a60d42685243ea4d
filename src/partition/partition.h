#pragma once

#include "base/clock.h"
#include "base/result.h"
#include "document/key/partition_key.h"
#include "engine/item/document_rules.h"
#include "engine/slice.h"
#include "engine/transaction.h"
#include "partition/charge/meter.h"
#include "partition/partition_address.h"
#include "partition/partition_index.h"
#include "partition/predicate_cache.h"
#include "partition/sequencer.h"
#include "partition/writer_queue.h"

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace partita {

// Partition: one physical partition; a range of hashes of one container with one sequence of writes.
//
// Thread-safe. Writers of the same logical partition exclude each other (WriterQueue), run with what PartitionIndex says, and
// pass one Sequencer, which gives LSNs in the order in which writes become visible. No thread waits for a hold or for a pause to
// end, but for a holder that wants to commit during a pause. Lock order: as the three are named. Invariants: durable_lsn() <=
// applied_lsn(); a transaction's callback runs after its LSN is durable, and a reader who has seen LSN n has seen all before it.
class Partition : public std::enable_shared_from_this<Partition> {
 public:
  struct Commit {
    Lsn lsn;
    double charge = 0;  // request units, already taken from the budget
  };
  using CommitCallback = std::move_only_function<void(Result<Commit>)>;
  using Body = std::function<Status(Transaction&)>;

  // Hold: while it lives, no other writer of its logical partition runs; they queue, and no thread waits for it. For bodies that
  // take long: a pause does not wait for them. Movable; belongs to one thread at a time, not always the same.
  class Hold {
   public:
    Hold(Hold&&) = default;
    Hold& operator=(Hold&&) = delete;
    ~Hold();

    // As Partition::transact(), at once. The body runs again when the index was changed under it. When the partition was split
    // or merged meanwhile, what it did is dropped (kPartitionGone). REQUIRES: not on a thread that must not wait for `body`.
    void transact(const Body& body, CommitCallback callback);

   private:
    friend class Partition;
    Hold(std::shared_ptr<Partition> partition, std::string logical_partition)
        : partition_(std::move(partition)), logical_partition_(std::move(logical_partition)) {}

    std::shared_ptr<Partition> partition_;  // null after a move
    std::string logical_partition_;
  };
  using Granted = std::move_only_function<void(Result<Hold>)>;

  using Index = PartitionIndex::Index;
  using Growth = PartitionIndex::Growth;
  using Rules = PartitionIndex::Rules;

  static Result<std::shared_ptr<Partition>> open(Store& store, const Clock& clock, PartitionId id, EffectiveKeyRange range,
                                                 Index index, Rules rules, Epoch epoch = kFirstEpoch);

  PartitionId id() const { return id_; }
  const EffectiveKeyRange& range() const { return range_; }
  // What is visible now: documents that have expired are not.
  Slice slice() const;
  Index index() const { return index_.index(); }
  // The same, if everything in it is in what the store has as durable: for readers while writes are refused.
  std::optional<Index> durable_index() const { return index_.durable_index(); }
  // For what is read and written from now on. Unique keys never change.
  void set_rules(Rules rules) { index_.set_rules(std::move(rules)); }
  PartitionCounters counters() const { return sequencer_.counters(); }
  Result<Lsn> visible_lsn() const { return sequencer_.visible_lsn(); }
  // The bytes of its documents and kept versions, a moment old: unlike counters() it waits for no writer.
  uint64_t stored_bytes() const { return sequencer_.stored_bytes(); }
  Lsn applied_lsn() const { return sequencer_.applied_lsn(); }
  Lsn durable_lsn() const { return sequencer_.durable_lsn(); }
  // Its budget of request units and what was used of it. Readers ask it and tell it; writers need not.
  Meter& meter() const { return meter_; }
  // What queries found out about its documents.
  PredicateCache& predicate_cache() const { return predicate_cache_; }

  // Bytes by which transactions have made it grow since it was opened, whatever others have removed.
  uint64_t bytes_grown() const { return sequencer_.bytes_grown(); }
  // How many bytes some logical partitions may still grow; what would go beyond is refused (kLogicalPartitionFull). All others
  // are without limit.
  using Allowances = Sequencer::Allowances;
  void set_allowances(Allowances allowances) { sequencer_.set_allowances(std::move(allowances)); }

  // Runs `body` while no other writer of the logical partition does, applies what it changed, and reports when that is durable.
  // An error of the body changes nothing and is reported once everything it may have been based on is durable. While the logical
  // partition is held or writers are paused, the body is kept and runs when its turn comes, on the thread that ends that.
  // kThrottled, at once and without running the body, while the partition's budget is overdrawn or too many wait; what the body
  // did is charged in any case. kWouldWait, uncharged and at once, where the thread must not wait and would have to
  // (base/must_not_wait.h). While the store refuses writes, the body sees what became durable last, and may only read.
  //
  // A long body runs while it holds the logical partition, so that writers of others never wait for it, and runs again when the
  // index was changed under it. REQUIRES, of a long one: not on a thread that others wait for.
  enum class Length { kShort, kLong };
  void transact(std::string_view logical_partition, Body body, CommitCallback callback, Priority priority = Priority::kHigh,
                Length length = Length::kShort);

  // Gives the logical partition to `granted`, now or, on the thread that ends an earlier hold, in the order of arrival. Whoever
  // holds is not throttled: ask meter() before. kThrottled when too many wait, kPartitionGone after a split or merge.
  void hold(std::string_view logical_partition, Granted granted);

  // Calls back once everything up to `seen` is durable (or with kWouldWait, at once): before that, a reader must not tell anybody
  // what it read.
  void when_durable(Lsn seen, std::move_only_function<void(Status)> callback);
  bool is_durable(Lsn seen) const { return sequencer_.is_durable(seen); }

  // Puts the waiter into `due` once something newer than `after` is durable, at once if it is already, or when other partitions
  // have the documents (hand_over) or this one ends; partition/changes/change_subscriptions.h tells it. kPartitionGone,
  // kThrottled.
  Status when_changed(Lsn after, ChangeWaiterId waiter, const std::shared_ptr<DueChanges>& due) {
    return sequencer_.when_changed(after, waiter, due);
  }
  void stop_waiting(Lsn after, ChangeWaiterId waiter) { sequencer_.stop_waiting(after, waiter); }
  // Finds out whether what was applied has become durable by itself, as after a failure of the disk. Waits for nobody.
  void refresh_durable() { sequencer_.refresh_durable(shared_from_this()); }

  // Drops versions of writes before this time (Unix seconds), oldest first, a bounded number at a time. How many it dropped.
  Result<size_t> drop_versions(int64_t before);

  // Before its rows are dropped: no write is applied any more after this returns; writers get the error.
  void retire(Error reason) { sequencer_.retire(std::move(reason)); }
  // When dropping them has failed after all.
  void reinstate() { sequencer_.reinstate(); }
  // Other partitions have its documents now: no write is applied any more, and writers are told to look for the heirs
  // (kPartitionGone): new ones at once, those that wait when the pause ends. REQUIRES: writers are paused.
  void hand_over();
  bool is_handed_over() const { return writers_.is_handed_over(); }

  // How many clients there are (partition_client.h): as long as there is one, somebody may read the partition's rows.
  void begin_lease() { leases_.fetch_add(1, std::memory_order_relaxed); }
  void end_lease() { leases_.fetch_sub(1, std::memory_order_acq_rel); }
  size_t leases() const { return leases_.load(std::memory_order_acquire); }
  // Before the rows of a partition that was handed over are dropped: what is read from now on does not count.
  void close_to_readers() { is_closed_.store(true, std::memory_order_seq_cst); }
  // Whether what was read before this call was of the partition, and not of what is left of it, and under this epoch.
  bool is_readable(Epoch epoch) const { return epoch == epoch_ && !is_closed_.load(std::memory_order_acquire); }

  // From now on every write notes in `watch` which documents it changed; null ends that. All writes that are not noted have at
  // most the returned LSN.
  Lsn set_watch(std::shared_ptr<ChangeWatch> watch) { return sequencer_.set_watch(std::move(watch)); }

  // Pause: while it lives, nothing is written in the partition. Movable; ends on the thread that began it, which then runs those
  // that have waited.
  class Pause {
   public:
    Pause(Pause&&) = default;
    Pause& operator=(Pause&&) = delete;
    ~Pause();

   private:
    friend class Partition;
    Pause(std::shared_ptr<Partition> partition, std::unique_lock<std::mutex> exclusive)
        : partition_(std::move(partition)), exclusive_(std::move(exclusive)) {}

    std::shared_ptr<Partition> partition_;  // null after a move
    std::unique_lock<std::mutex> exclusive_;
  };
  // Waits for another pause and for bodies under latches, which are short; not for holds.
  Pause pause_writers();

  // What is being built, if anything.
  std::optional<Growth> growth() const { return index_.growth(); }
  // A growth of this index from here on, with what was filled before. REQUIRES: writers are paused.
  Growth growth_of(Index next, DocumentNumber filled_to = {}) const;
  // Which index is read from now on, and what is being built. REQUIRES: writers are paused.
  void set_index(Index index, std::optional<Growth> growth = std::nullopt) { index_.set(std::move(index), std::move(growth)); }
  // Writes the entries of some further documents of the growing index, and how far it has come; writers wait meanwhile. True when
  // no document is left, or when that index does not grow (any more).
  Result<bool> fill_index(IndexId growing);
  // How much of that is done; 1 when no index is being built, and only then.
  double index_progress() const { return index_.progress(); }

 private:
  Partition(Store& store, const Clock& clock, PartitionId id, EffectiveKeyRange range, Index index, Rules rules, Epoch epoch,
            PartitionCounters counters);

  // What became of a body.
  struct Outcome {
    Status status;
    Commit commit;
    CommitTicket ticket = 0;  // 0: nothing was written
  };
  struct Attempt;

  // A patient one is not granted during a pause.
  void hold(std::string_view logical_partition, bool is_patient, Granted granted);
  WriterQueue::Owner writers() { return {shared_from_this(), &writers_}; }
  void wait_for_turn(WriterQueue::Turn turn, std::string_view logical_partition, Body body, int64_t began_us,
                     CommitCallback callback);
  // REQUIRES: it is the turn of this writer.
  Outcome run(std::string_view logical_partition, const Body& body);
  Outcome run_held(std::string_view logical_partition, const Body& body);
  // Nothing when the index has changed since the attempt began.
  std::optional<Outcome> finish_held(std::string_view logical_partition, Attempt& attempt, Outcome outcome);
  // What the body changed. REQUIRES: as run().
  void apply(std::string_view logical_partition, Attempt& attempt, Outcome& outcome);
  Outcome gone() const;
  Outcome charged(Attempt& attempt, Outcome outcome);
  void settle(Outcome outcome, CommitCallback callback);
  CommitCallback metered(int64_t began_us, std::string_view logical_partition, CommitCallback callback);
  Slice slice_of(IndexId index, const TimeToLive& time_to_live) const;

  Store& store_;
  const Clock& clock_;
  mutable Meter meter_;
  mutable PredicateCache predicate_cache_;
  PartitionId id_;
  EffectiveKeyRange range_;
  const Epoch epoch_;  // of the ownership of its store, under which it was opened
  std::atomic<size_t> leases_ = 0;
  std::atomic<bool> is_closed_ = false;
  WriterQueue writers_;
  PartitionIndex index_;
  Sequencer sequencer_;
};

}  // namespace partita
