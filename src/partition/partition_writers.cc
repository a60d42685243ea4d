#include "partition/charge/request_units.h"
#include "partition/charge/throttling.h"
#include "partition/partition.h"

#include <algorithm>
#include <functional>

// Who writes when: latches, holds, pauses and those who wait for them.
namespace partita {
namespace {

// A body under a hold is run again this often at most when the index changes under it: each change takes longer than most bodies.
constexpr int kHeldRunsMax = 3;
// A holder commits on a worker, which may wait for a pause as long as it takes to publish a map, not while partitions are
// compared.
constexpr std::chrono::seconds kCommitWaitMax{1};
// Those ahead of somebody who finds the queue full are served within about that time, unless a script holds them up.
constexpr int64_t kCrowdedWaitUs = 100'000;

std::unexpected<Error> no_room_to_wait() {
  return too_many_waiting("Too many requests wait for this partition key value. No changes were made; please retry later.",
                          kCrowdedWaitUs);
}

std::unexpected<Error> handed_over() {
  return fail(ErrorCode::kPartitionGone, "the partition was split or merged; its documents are in others now");
}

// Why a store refuses writes, and what can be read meanwhile.
struct Refusal {
  std::shared_ptr<const Snapshot> durable;  // null while it takes writes
  std::string reason;

  static Refusal of(const Store& store) {
    std::shared_ptr<const Snapshot> durable = store.durable_snapshot();
    std::optional<std::string> reason = durable ? store.failure() : std::nullopt;
    if (!reason) return {};  // nothing has failed, or it has recovered in this moment
    return {std::move(durable), *std::move(reason)};
  }
};

Result<CommitTicket> refuse_write(const Refusal& refusal) {
  return fail(ErrorCode::kStorageFailure, "writes are refused: " + refusal.reason);
}

}  // namespace

// Attempt: a transaction with what it is run with.
//
// While the store refuses writes, it sees what became durable last: it can write nothing, and if it only reads, its outcome can
// be told at once.
struct Partition::Attempt {
  explicit Attempt(const Partition& partition)
      : refusal(Refusal::of(partition.store_)),
        now(partition.state()),
        transaction(partition.slice_of(now.index, *now.rules).as_of(refusal.durable.get()), *now.index.policy,
                    now.rules->unique_keys) {
    if (now.growing) transaction.also_index(now.growing->id, *now.growing->policy);
    if (now.rules->versions.is_on()) transaction.keep_versions(partition.clock_.unix_seconds());
  }

  Outcome run(const Body& body) {
    Outcome outcome;
    outcome.status = body(transaction);
    if (outcome.status && !transaction.is_empty()) outcome.status = transaction.prepare();
    return outcome;
  }

  bool has_changes(const Outcome& outcome) const { return outcome.status && !transaction.is_empty(); }
  bool has_seen_only_durable() const { return refusal.durable != nullptr && !transaction.has_seen_unsettled(); }

  Refusal refusal;
  State now;
  Transaction transaction;
};

Partition::Latch& Partition::latch_of(std::string_view logical_partition) {
  return latches_[std::hash<std::string_view>()(logical_partition) % kLatchStripes];
}

Partition::Held* Partition::queue_for(Latch& latch, std::string_view logical_partition) {
  if (is_handed_over_.load(std::memory_order_acquire)) return nullptr;
  if (const auto held = latch.held.find(logical_partition); held != latch.held.end()) return &held->second;
  if (!latch.is_paused) return nullptr;
  return &latch.held.try_emplace(std::string(logical_partition), Held{.has_holder = false, .waiters = {}}).first->second;
}

bool Partition::is_crowded(const Held& queue) const {
  return queue.waiters.size() >= kWaitersPerLogicalPartitionMax ||
         waiting_.load(std::memory_order_relaxed) >= kWaitersPerPartitionMax;
}

void Partition::enqueue(Held& queue, Waiter waiter) {
  queue.waiters.push_back(std::move(waiter));
  waiting_.fetch_add(1, std::memory_order_relaxed);
}

void Partition::transact(std::string_view logical_partition, Body body, CommitCallback callback, Priority priority,
                         Length length) {
  const Result<int64_t> began_us = meter_.admit(priority);
  if (!began_us) return callback(std::unexpected(began_us.error()));
  if (length == Length::kLong) {
    return hold(logical_partition, true, [body = std::move(body), callback = std::move(callback)](Result<Hold> hold) mutable {
      if (!hold) return callback(std::unexpected(std::move(hold).error()));
      hold->transact(body, std::move(callback));
    });
  }
  Latch& latch = latch_of(logical_partition);
  std::unique_lock lock(latch.mutex);
  if (Held* queue = queue_for(latch, logical_partition); queue != nullptr) {
    if (!is_crowded(*queue)) {
      return enqueue(*queue, {std::move(body), metered(*began_us, logical_partition, std::move(callback)), {}});
    }
    if (queue->waiters.empty() && !queue->has_holder) latch.held.erase(latch.held.find(logical_partition));
    lock.unlock();
    return callback(no_room_to_wait());
  }
  Outcome outcome = run(logical_partition, body);
  lock.unlock();
  settle(std::move(outcome), metered(*began_us, logical_partition, std::move(callback)));
}

void Partition::hold(std::string_view logical_partition, Granted granted) { hold(logical_partition, false, std::move(granted)); }

void Partition::hold(std::string_view logical_partition, bool is_patient, Granted granted) {
  Latch& latch = latch_of(logical_partition);
  std::unique_lock lock(latch.mutex);
  if (is_handed_over_.load(std::memory_order_acquire)) {
    lock.unlock();
    return granted(handed_over());
  }
  const bool must_wait = is_patient && latch.is_paused;
  const auto [held, is_new] =
      latch.held.try_emplace(std::string(logical_partition), Held{.has_holder = !must_wait, .waiters = {}});
  if (is_new && !must_wait) {
    lock.unlock();
    return granted(Hold(shared_from_this(), std::string(logical_partition)));
  }
  if (!is_crowded(held->second)) return enqueue(held->second, {{}, {}, std::move(granted)});
  if (is_new) latch.held.erase(held);
  lock.unlock();
  granted(no_room_to_wait());
}

Partition::Hold::~Hold() {
  if (partition_) partition_->pass_on(std::move(logical_partition_));
}

void Partition::Hold::transact(const Body& body, CommitCallback callback) {
  const int64_t began_us = *partition_->meter_.admit(Priority::kBackground);
  callback = partition_->metered(began_us, logical_partition_, std::move(callback));
  partition_->settle(partition_->run_held(logical_partition_, body), std::move(callback));
}

// Notes, before it is told, what came of a transaction.
Partition::CommitCallback Partition::metered(int64_t began_us, std::string_view logical_partition, CommitCallback callback) {
  return [this, began_us, key = std::string(logical_partition), callback = std::move(callback)](Result<Commit> outcome) mutable {
    meter_.record(began_us, key, outcome ? outcome->charge : std::max(outcome.error().charge, kFailedLookupCharge));
    callback(std::move(outcome));
  };
}

std::deque<Partition::Ended>*& Partition::passed_on_here() {
  static thread_local std::deque<Ended>* ended = nullptr;
  return ended;
}

// Whoever is granted a hold may end it at once, on this thread. That is noted here and dealt with by the first call, so that the
// stack does not grow with the number of those who wait.
void Partition::pass_on(std::string logical_partition) {
  std::deque<Ended>*& noted = passed_on_here();
  if (noted != nullptr) {
    noted->push_back({shared_from_this(), std::move(logical_partition)});
    return;
  }
  std::deque<Ended> ended;
  noted = &ended;
  ended.push_back({shared_from_this(), std::move(logical_partition)});
  while (!ended.empty()) {
    const Ended next = std::move(ended.front());
    ended.pop_front();
    next.partition->serve(next.logical_partition);
  }
  noted = nullptr;
}

// Transactions run here, until a hold takes over, a pause wants none, or nobody is left. That comes soon: those who arrive
// meanwhile wait for their answers before they ask again.
void Partition::serve(const std::string& logical_partition) {
  Latch& latch = latch_of(logical_partition);
  while (true) {
    Waiter next;
    Outcome outcome;
    {
      std::lock_guard lock(latch.mutex);
      const auto held = latch.held.find(logical_partition);
      if (held == latch.held.end()) return;  // the partition was handed over
      std::deque<Waiter>& waiters = held->second.waiters;
      if (waiters.empty()) {
        latch.held.erase(held);
        return;
      }
      const bool is_hold = waiters.front().granted != nullptr;
      if (!is_hold && latch.is_paused) {
        held->second.has_holder = false;
        return;
      }
      next = std::move(waiters.front());
      waiters.pop_front();
      waiting_.fetch_sub(1, std::memory_order_relaxed);
      if (!is_hold) outcome = run(logical_partition, next.body);
    }
    if (next.granted) return next.granted(Hold(shared_from_this(), logical_partition));
    settle(std::move(outcome), std::move(next.callback));
  }
}

Partition::Pause Partition::pause_writers() {
  Pause pause(shared_from_this(), std::unique_lock(pausing_));
  for (Latch& latch : latches_) {
    std::lock_guard lock(latch.mutex);
    latch.is_paused = true;
  }
  return pause;
}

Partition::Pause::~Pause() {
  if (partition_) partition_->end_pause(std::move(exclusive_));
}

void Partition::end_pause(std::unique_lock<std::mutex> exclusive) {
  const bool is_handed_over = is_handed_over_.load(std::memory_order_acquire);
  std::vector<std::string> waited_for;
  std::vector<Waiter> sent_on;  // also from behind holds: what those still do is dropped
  for (Latch& latch : latches_) {
    std::lock_guard lock(latch.mutex);
    latch.is_paused = false;
    for (auto& [logical_partition, held] : latch.held) {
      if (is_handed_over) {
        std::ranges::move(held.waiters, std::back_inserter(sent_on));
      } else if (!held.has_holder) {
        held.has_holder = true;
        waited_for.push_back(logical_partition);
      }
    }
    if (is_handed_over) latch.held.clear();
    latch.pause_ended.notify_all();
  }
  waiting_.fetch_sub(sent_on.size(), std::memory_order_relaxed);
  exclusive.unlock();
  for (std::string& logical_partition : waited_for) pass_on(std::move(logical_partition));
  for (Waiter& waiter : sent_on) {
    if (waiter.granted) {
      waiter.granted(handed_over());
    } else {
      waiter.callback(handed_over());
    }
  }
}

Partition::Outcome Partition::gone() const {
  Outcome outcome;
  outcome.status = handed_over();
  outcome.commit.lsn = durable_lsn();
  return outcome;
}

Partition::Outcome Partition::run(std::string_view logical_partition, const Body& body) {
  if (is_handed_over_.load(std::memory_order_acquire)) return gone();
  Attempt attempt(*this);
  Outcome outcome = attempt.run(body);
  if (attempt.has_changes(outcome)) apply(logical_partition, attempt, outcome);
  return charged(attempt, std::move(outcome));
}

void Partition::apply(std::string_view logical_partition, Attempt& attempt, Outcome& outcome) {
  // The store may take writes again by now, but what the body has seen is not what they would be applied to.
  Result<CommitTicket> applied =
      attempt.refusal.durable ? refuse_write(attempt.refusal) : apply(logical_partition, attempt.transaction, outcome.commit);
  if (applied) {
    outcome.ticket = *applied;
  } else {
    outcome.status = std::unexpected(std::move(applied).error());
  }
}

Partition::Outcome Partition::charged(Attempt& attempt, Outcome outcome) {
  if (outcome.ticket == 0) outcome.commit.lsn = attempt.has_seen_only_durable() ? durable_lsn() : applied_lsn();
  double& charge = outcome.commit.charge;
  charge = charge_for(attempt.transaction.work());
  if (!outcome.status) charge = outcome.status.error().charge = std::max(charge, kFailedLookupCharge);
  meter_.charge(std::max(0.0, charge - attempt.transaction.charged()));
  return outcome;
}

// Its body runs beside pauses, so it may have seen indexes come and go: then nothing of it counts, not even an error.
Partition::Outcome Partition::run_held(std::string_view logical_partition, const Body& body) {
  for (int runs = 0; runs < kHeldRunsMax; ++runs) {
    if (is_handed_over_.load(std::memory_order_acquire)) return gone();
    Attempt attempt(*this);
    if (std::optional<Outcome> finished = finish_held(logical_partition, attempt, attempt.run(body))) return *std::move(finished);
  }
  Outcome outcome;
  outcome.status = fail(ErrorCode::kUnavailable, "The container's index was changed again and again; please retry later.");
  outcome.commit.lsn = applied_lsn();
  return outcome;
}

std::optional<Partition::Outcome> Partition::finish_held(std::string_view logical_partition, Attempt& attempt, Outcome outcome) {
  const bool has_changes = attempt.has_changes(outcome);
  Latch& latch = latch_of(logical_partition);
  std::unique_lock lock(latch.mutex);
  const bool is_open = !has_changes || latch.pause_ended.wait_for(lock, kCommitWaitMax, [&latch] { return !latch.is_paused; });
  if (is_handed_over_.load(std::memory_order_acquire)) return gone();
  if (state().index_changes != attempt.now.index_changes) return std::nullopt;
  if (!is_open) {
    outcome.status = fail(ErrorCode::kUnavailable, "The container's partitions are being changed; please retry later.");
  } else if (has_changes) {
    apply(logical_partition, attempt, outcome);
  }
  return charged(attempt, std::move(outcome));
}

}  // namespace partita
