#include "partition/partition.h"
#include "partition/request_units.h"
#include "partition/throttling.h"

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

}  // namespace

// Attempt: a transaction with what it is run with.
struct Partition::Attempt {
  explicit Attempt(const Partition& partition)
      : now(partition.state()),
        transaction(partition.slice_of(now.index, *now.rules), *now.index.policy, now.rules->unique_keys) {
    if (now.growing) transaction.also_index(now.growing->id, *now.growing->policy);
    if (now.rules->versions.is_on()) transaction.keep_versions(partition.clock_.unix_seconds());
  }

  Outcome run(const Body& body) {
    Outcome outcome;
    outcome.status = body(transaction);
    if (outcome.status && !transaction.is_empty()) outcome.status = transaction.prepare();
    return outcome;
  }

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

void Partition::transact(std::string_view logical_partition, Body body, CommitCallback callback, Priority priority) {
  const Result<int64_t> began_us = meter_.admit(priority);
  if (!began_us) return callback(std::unexpected(began_us.error()));
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

void Partition::hold(std::string_view logical_partition, Granted granted) {
  Latch& latch = latch_of(logical_partition);
  std::unique_lock lock(latch.mutex);
  if (is_handed_over_.load(std::memory_order_acquire)) {
    lock.unlock();
    return granted(handed_over());
  }
  const auto [held, is_free] = latch.held.try_emplace(std::string(logical_partition));
  if (is_free) {
    lock.unlock();
    return granted(Hold(shared_from_this(), std::string(logical_partition)));
  }
  if (!is_crowded(held->second)) return enqueue(held->second, {{}, {}, std::move(granted)});
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
    meter_.record(began_us, key, outcome ? outcome->charge : kFailedLookupCharge);
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
  if (outcome.status && !attempt.transaction.is_empty()) {
    Result<CommitTicket> applied = apply(logical_partition, attempt.transaction, outcome.commit);
    if (applied) {
      outcome.ticket = *applied;
    } else {
      outcome.status = std::unexpected(std::move(applied).error());
    }
  }
  return charged(attempt, std::move(outcome));
}

Partition::Outcome Partition::charged(Attempt& attempt, Outcome outcome) {
  if (outcome.ticket == 0) outcome.commit.lsn = applied_lsn();
  double& charge = outcome.commit.charge;
  charge = charge_for(attempt.transaction.work());
  if (!outcome.status) charge = std::max(charge, kFailedLookupCharge);
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
  const bool has_changes = outcome.status && !attempt.transaction.is_empty();
  Latch& latch = latch_of(logical_partition);
  std::unique_lock lock(latch.mutex);
  const bool is_open = !has_changes || latch.pause_ended.wait_for(lock, kCommitWaitMax, [&latch] { return !latch.is_paused; });
  if (is_handed_over_.load(std::memory_order_acquire)) return gone();
  if (state().index_changes != attempt.now.index_changes) return std::nullopt;
  if (!is_open) {
    outcome.status = fail(ErrorCode::kUnavailable, "The container's partitions are being changed; please retry later.");
  } else if (has_changes) {
    Result<CommitTicket> applied = apply(logical_partition, attempt.transaction, outcome.commit);
    if (applied) {
      outcome.ticket = *applied;
    } else {
      outcome.status = std::unexpected(std::move(applied).error());
    }
  }
  return charged(attempt, std::move(outcome));
}

}  // namespace partita
