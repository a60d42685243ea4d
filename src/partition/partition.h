#pragma once

#include "base/clock.h"
#include "base/result.h"
#include "document/key/partition_key.h"
#include "engine/item/document_rules.h"
#include "engine/slice.h"
#include "engine/transaction.h"
#include "partition/changes/change_waiters.h"
#include "partition/changes/change_watch.h"
#include "partition/charge/meter.h"
#include "partition/partition_address.h"
#include "partition/predicate_cache.h"

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace partita {

// How many writers may wait for one logical partition, and for all of a physical one: behind a hold, or while a pause lives.
// Those beyond are refused (kThrottled, with when to come back).
inline constexpr size_t kWaitersPerLogicalPartitionMax = 1'000;
inline constexpr size_t kWaitersPerPartitionMax = 10'000;

// Partition: one physical partition; a range of hashes of one container with one sequence of writes.
//
// Thread-safe. Writers of the same logical partition exclude each other, by a latch or by a hold; all writers pass one sequencer
// that gives LSNs in the order in which writes become visible, so a reader who has seen LSN n has seen all before it. No thread
// waits for a hold or for a pause to end, but for a holder that wants to commit during a pause.
// Invariants: durable_lsn() <= applied_lsn(); a transaction's callback runs after its LSN is durable.
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

  // A generation of the index and what it contains.
  struct Index {
    IndexId id;
    std::shared_ptr<const IndexingPolicy> policy;
  };

  // A generation that is built while writers go on: they keep it up to date, and nobody reads it.
  struct Growth {
    Index index;
    DocumentNumber filled_to = {};  // documents up to this one have their entries
    DocumentNumber until = {};      // those behind it got them from their writers
  };

  using Rules = std::shared_ptr<const DocumentRules>;

  static Result<std::shared_ptr<Partition>> open(Store& store, const Clock& clock, PartitionId id, EffectiveKeyRange range,
                                                 Index index, Rules rules, Epoch epoch = kFirstEpoch);

  PartitionId id() const { return id_; }
  const EffectiveKeyRange& range() const { return range_; }
  // What is visible now: documents that have expired are not.
  Slice slice() const;
  Index index() const;
  // The same, if everything in it is in what the store has as durable: for readers while writes are refused.
  std::optional<Index> durable_index() const;
  // For what is read and written from now on. Unique keys never change.
  void set_rules(Rules rules);
  PartitionCounters counters() const;
  // The bytes of its documents and kept versions, a moment old: unlike counters() it waits for no writer.
  uint64_t stored_bytes() const { return stored_bytes_.load(std::memory_order_relaxed); }
  Lsn applied_lsn() const { return {applied_lsn_.load(std::memory_order_acquire)}; }
  Lsn durable_lsn() const { return {durable_lsn_.load(std::memory_order_acquire)}; }
  // Its budget of request units and what was used of it. Readers ask it and tell it; writers need not.
  Meter& meter() const { return meter_; }
  // What queries found out about its documents.
  PredicateCache& predicate_cache() const { return predicate_cache_; }

  // Bytes by which transactions have made it grow since it was opened, whatever others have removed.
  uint64_t bytes_grown() const { return bytes_grown_.load(std::memory_order_relaxed); }
  // How many bytes some logical partitions may still grow; what would go beyond is refused (kLogicalPartitionFull). All others
  // are without limit.
  using Rooms = std::map<std::string, int64_t, std::less<>>;
  void set_rooms(Rooms rooms);

  // Runs `body` while no other writer of the logical partition does, applies what it changed, and reports when that is durable.
  // An error of the body changes nothing and is reported once everything it may have been based on is durable. While the logical
  // partition is held or writers are paused, the body is kept and runs when its turn comes, on the thread that ends that.
  // kThrottled, at once and without running the body, while the partition's budget is overdrawn or too many wait; what the body
  // did is charged in any case. While the store refuses writes, the body sees what became durable last, and may only read.
  //
  // A long body runs while it holds the logical partition, so that writers of others never wait for it, and runs again when the
  // index was changed under it. REQUIRES, of a long one: not on a thread that others wait for.
  enum class Length { kShort, kLong };
  void transact(std::string_view logical_partition, Body body, CommitCallback callback, Priority priority = Priority::kHigh,
                Length length = Length::kShort);

  // Gives the logical partition to `granted`, now or, on the thread that ends an earlier hold, in the order of arrival. Whoever
  // holds is not throttled: ask meter() before. kThrottled when too many wait, kPartitionGone after a split or merge.
  void hold(std::string_view logical_partition, Granted granted);

  // Calls back once everything up to `seen` is durable: before that, a reader must not tell anybody what it read.
  void when_durable(Lsn seen, std::move_only_function<void(Status)> callback);
  bool is_durable(Lsn seen) const { return seen <= durable_lsn(); }

  // Puts the waiter into `due` once something newer than `after` is durable, at once if it is already, or when other partitions
  // have the documents (hand_over) or this one ends; partition/changes/change_subscriptions.h tells it. kPartitionGone,
  // kThrottled.
  Status when_changed(Lsn after, ChangeWaiterId waiter, const std::shared_ptr<DueChanges>& due);
  void stop_waiting(Lsn after, ChangeWaiterId waiter) { change_waiters_.remove(after, waiter); }
  // Finds out whether what was applied has become durable by itself, as after a failure of the disk. Waits for nobody.
  void refresh_durable();

  // Drops versions of writes before this time (Unix seconds), oldest first, a bounded number at a time. How many it dropped.
  Result<size_t> drop_versions(int64_t before);

  // Before its rows are dropped: no write is applied any more after this returns; writers get the error.
  void retire(Error reason);
  // When dropping them has failed after all.
  void reinstate();
  // Other partitions have its documents now: no write is applied any more, and writers are told to look for the heirs
  // (kPartitionGone): new ones at once, those that wait when the pause ends. REQUIRES: writers are paused.
  void hand_over();
  bool is_handed_over() const { return is_handed_over_.load(std::memory_order_acquire); }

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
  Lsn set_watch(std::shared_ptr<ChangeWatch> watch);

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
  std::optional<Growth> growth() const;
  // A growth of this index from here on, with what was filled before. REQUIRES: writers are paused.
  Growth growth_of(Index next, DocumentNumber filled_to = {}) const;
  // Which index is read from now on, and what is being built. REQUIRES: writers are paused.
  void set_index(Index index, std::optional<Growth> growth = std::nullopt);
  // Writes the entries of some further documents of the growing index, and how far it has come; writers wait meanwhile. True when
  // no document is left, or when that index does not grow (any more).
  Result<bool> fill_index(IndexId growing);
  // How much of that is done; 1 when no index is being built, and only then.
  double index_progress() const;

 private:
  Partition(Store& store, const Clock& clock, PartitionId id, EffectiveKeyRange range, Index index, Rules rules, Epoch epoch,
            PartitionCounters counters);

  // Who comes next to a held logical partition: a transaction, or the next hold.
  struct Waiter {
    Body body;
    CommitCallback callback;
    Granted granted;
  };
  // A logical partition with a holder, or (while writers are paused) only with those who wait.
  struct Held {
    bool has_holder = true;
    std::deque<Waiter> waiters;
  };
  struct Latch {
    std::mutex mutex;
    std::condition_variable pause_ended;
    std::map<std::string, Held, std::less<>> held;  // guarded by mutex
    bool is_paused = false;                         // guarded by mutex
  };
  // What became of a body.
  struct Outcome {
    Status status;
    Commit commit;
    CommitTicket ticket = 0;  // 0: nothing was written
  };
  // A hold that has ended, for those who wait behind it.
  struct Ended {
    std::shared_ptr<Partition> partition;
    std::string logical_partition;
  };
  struct Attempt;

  static constexpr size_t kLatchStripes = 64;
  Latch& latch_of(std::string_view logical_partition);
  // A patient one is not granted during a pause.
  void hold(std::string_view logical_partition, bool is_patient, Granted granted);
  // Null when it is nobody's turn but the caller's. REQUIRES: the latch is locked.
  Held* queue_for(Latch& latch, std::string_view logical_partition);
  bool is_crowded(const Held& queue) const;
  void enqueue(Held& queue, Waiter waiter);
  // REQUIRES: the latch is locked and not paused, and no other writer of the logical partition runs.
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
  // To those who wait, in order. REQUIRES: it has a holder, who is done with it.
  void pass_on(std::string logical_partition);
  void serve(const std::string& logical_partition);
  static std::deque<Ended>*& passed_on_here();
  void end_pause(std::unique_lock<std::mutex> exclusive);
  // REQUIRES: the transaction is prepared.
  Result<CommitTicket> apply(std::string_view logical_partition, Transaction& transaction, Commit& commit);
  // REQUIRES: sequencer_ is held.
  void set_counters(const PartitionCounters& after);
  Status take_room(std::string_view logical_partition, int64_t grown);
  void note_durable(Lsn lsn);
  // Calls back once the batch is durable, and with it everything up to `reached`.
  void when_reached(CommitTicket ticket, Lsn reached, std::move_only_function<void(Status)> callback);

  // What a transaction is run with.
  struct State {
    Index index;
    std::optional<Index> growing;
    Rules rules;
    uint64_t index_changes = 0;
  };
  State state() const;
  Slice slice_of(const Index& index, const DocumentRules& rules) const;

  Store& store_;
  const Clock& clock_;
  mutable Meter meter_;
  mutable PredicateCache predicate_cache_;
  PartitionId id_;
  EffectiveKeyRange range_;
  const Epoch epoch_;  // of the ownership of its store, under which it was opened
  std::atomic<size_t> leases_ = 0;
  std::atomic<bool> is_closed_ = false;
  mutable std::mutex index_mutex_;
  // Guarded by index_mutex_; change only while writers are paused.
  Index index_;
  CommitTicket index_since_ = 0;  // its entries were complete with this batch
  std::optional<Growth> growth_;
  uint64_t index_changes_ = 0;  // how often the two above were set; guarded by index_mutex_
  Rules rules_;                 // guarded by index_mutex_
  std::array<Latch, kLatchStripes> latches_;
  std::mutex pausing_;  // by the pause that lives
  std::atomic<size_t> waiting_ = 0;
  mutable std::mutex sequencer_;
  PartitionCounters counters_;  // guarded by sequencer_
  std::atomic<uint64_t> stored_bytes_;
  std::optional<Error> retired_;  // guarded by sequencer_
  Rooms rooms_;                   // guarded by sequencer_
  std::atomic<uint64_t> bytes_grown_ = 0;
  std::shared_ptr<ChangeWatch> watch_;  // guarded by sequencer_
  std::atomic<bool> is_handed_over_ = false;
  std::atomic<uint64_t> applied_lsn_;
  std::atomic<uint64_t> durable_lsn_;
  ChangeWaiters change_waiters_;
};

}  // namespace partita
