#include "base/must_not_wait.h"
#include "partition/charge/request_units.h"
#include "partition/partition.h"

#include <algorithm>
#include <chrono>

// How a transaction is run, and what comes of it.
namespace partita {
namespace {

// A body under a hold is run again this often at most when the index changes under it: each change takes longer than most bodies.
constexpr int kHeldRunsMax = 3;
// A holder commits on a worker, which may wait for a pause as long as it takes to publish a map, not while partitions are
// compared.
constexpr std::chrono::seconds kCommitWaitMax{1};
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
        now(partition.index_.state()),
        transaction(partition.slice_of(now.index.id, now.rules->time_to_live).as_of(refusal.durable.get()), *now.index.policy,
                    now.rules->unique_keys) {
    if (now.growing) transaction.also_index(now.growing->id, *now.growing->policy);
    if (now.rules->versions.is_on()) transaction.keep_versions(partition.clock_.unix_seconds());
  }

  Outcome run(const Body& body) {
    Outcome outcome;
    outcome.status = body(transaction);
    // Whoever did not notice that a read failed has seen less than there is.
    if (MustNotWait::was_refused()) outcome.status = MustNotWait::refuse();
    if (outcome.status && !transaction.is_empty()) outcome.status = transaction.prepare();
    return outcome;
  }

  bool has_changes(const Outcome& outcome) const { return outcome.status && !transaction.is_empty(); }
  bool has_seen_only_durable() const { return refusal.durable != nullptr && !transaction.has_seen_pending(); }

  Refusal refusal;
  PartitionIndex::State now;
  Transaction transaction;
};

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
  WriterQueue::Turn turn = writers_.arrive(logical_partition);
  if (!turn.has_latch()) return callback(MustNotWait::refuse());
  if (!turn.is_mine()) return wait_for_turn(std::move(turn), logical_partition, std::move(body), *began_us, std::move(callback));
  Outcome outcome = run(logical_partition, body);
  turn.end();
  settle(std::move(outcome), metered(*began_us, logical_partition, std::move(callback)));
}

void Partition::wait_for_turn(WriterQueue::Turn turn, std::string_view logical_partition, Body body, int64_t began_us,
                              CommitCallback callback) {
  // Shared, because a full queue gives it back.
  const auto told = std::make_shared<CommitCallback>(std::move(callback));
  WriterQueue::Waiter waiter;
  waiter.turn = [this, key = std::string(logical_partition), body = std::move(body), began_us,
                 told](Status may_run) -> WriterQueue::After {
    Outcome outcome = may_run ? run(key, body) : Outcome{};
    return [this, key, began_us, told, may_run = std::move(may_run), outcome = std::move(outcome)]() mutable {
      CommitCallback callback = metered(began_us, key, std::move(*told));
      if (!may_run) return callback(std::unexpected(std::move(may_run).error()));
      settle(std::move(outcome), std::move(callback));
    };
  };
  const Status waits = turn.wait(waiter);
  turn.end();
  if (!waits) (*told)(std::unexpected(waits.error()));
}

void Partition::hold(std::string_view logical_partition, Granted granted) { hold(logical_partition, false, std::move(granted)); }

void Partition::hold(std::string_view logical_partition, bool is_patient, Granted granted) {
  WriterQueue::Waiter waiter;
  const auto told = std::make_shared<Granted>(std::move(granted));
  waiter.hold = [this, key = std::string(logical_partition), told](Status may_hold) {
    if (!may_hold) return (*told)(std::unexpected(std::move(may_hold).error()));
    (*told)(Hold(shared_from_this(), key));
  };
  const Result<bool> is_holder = writers_.hold(logical_partition, is_patient, waiter);
  if (!is_holder) return (*told)(std::unexpected(is_holder.error()));
  if (*is_holder) (*told)(Hold(shared_from_this(), std::string(logical_partition)));
}

Partition::Hold::~Hold() {
  if (partition_) WriterQueue::pass_on(partition_->writers(), std::move(logical_partition_));
}

void Partition::Hold::transact(const Body& body, CommitCallback callback) {
  const int64_t began_us = *partition_->meter_.admit(Priority::kBackground);
  callback = partition_->metered(began_us, logical_partition_, std::move(callback));
  partition_->settle(partition_->run_held(logical_partition_, body), std::move(callback));
}

// Notes, before it is told, what came of a transaction.
Partition::CommitCallback Partition::metered(int64_t began_us, std::string_view logical_partition, CommitCallback callback) {
  return [this, began_us, key = std::string(logical_partition), callback = std::move(callback)](Result<Commit> outcome) mutable {
    if (!outcome && outcome.error().code == ErrorCode::kWouldWait) return callback(std::move(outcome));
    meter_.record(began_us, key, outcome ? outcome->charge : std::max(outcome.error().charge, kFailedLookupCharge));
    callback(std::move(outcome));
  };
}

Partition::Pause Partition::pause_writers() { return Pause(shared_from_this(), writers_.pause()); }

Partition::Pause::~Pause() {
  if (partition_) WriterQueue::end_pause(partition_->writers(), std::move(exclusive_));
}

Partition::Outcome Partition::gone() const {
  Outcome outcome;
  outcome.status = WriterQueue::handed_over();
  outcome.commit.lsn = durable_lsn();
  return outcome;
}

Partition::Outcome Partition::run(std::string_view logical_partition, const Body& body) {
  if (is_handed_over()) return gone();
  Attempt attempt(*this);
  Outcome outcome = attempt.run(body);
  if (attempt.has_changes(outcome)) apply(logical_partition, attempt, outcome);
  return charged(attempt, std::move(outcome));
}

void Partition::apply(std::string_view logical_partition, Attempt& attempt, Outcome& outcome) {
  // The store may take writes again by now, but what the body has seen is not what they would be applied to.
  Result<CommitTicket> applied = attempt.refusal.durable
                                     ? refuse_write(attempt.refusal)
                                     : sequencer_.apply(logical_partition, attempt.transaction, outcome.commit.lsn);
  if (applied) {
    outcome.ticket = *applied;
  } else {
    outcome.status = std::unexpected(std::move(applied).error());
  }
}

Partition::Outcome Partition::charged(Attempt& attempt, Outcome outcome) {
  // What is done anew is charged then.
  if (!outcome.status && outcome.status.error().code == ErrorCode::kWouldWait) return outcome;
  if (outcome.ticket == 0) outcome.commit.lsn = attempt.has_seen_only_durable() ? durable_lsn() : applied_lsn();
  double& charge = outcome.commit.charge;
  charge = charge_for(attempt.transaction.work());
  if (!outcome.status) charge = outcome.status.error().charge = std::max(charge, kFailedLookupCharge);
  meter_.charge(std::max(0.0, charge - attempt.transaction.charged()));
  if (outcome.ticket != 0 && meter_.samples_next())
    meter_.note_documents(DocumentSamples::Kind::kWrite, attempt.transaction.changed_numbers(), charge);
  return outcome;
}

// Its body runs beside pauses, so it may have seen indexes come and go: then nothing of it counts, not even an error.
Partition::Outcome Partition::run_held(std::string_view logical_partition, const Body& body) {
  for (int runs = 0; runs < kHeldRunsMax; ++runs) {
    if (is_handed_over()) return gone();
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
  const WriterQueue::Commit commit = writers_.begin_commit(logical_partition, has_changes, kCommitWaitMax);
  if (is_handed_over()) return gone();
  if (index_.changes() != attempt.now.changes) return std::nullopt;
  if (!commit.is_open) {
    outcome.status = fail(ErrorCode::kUnavailable, "The container's partitions are being changed; please retry later.");
  } else if (has_changes) {
    apply(logical_partition, attempt, outcome);
  }
  return charged(attempt, std::move(outcome));
}

}  // namespace partita
