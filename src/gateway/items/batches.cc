#include "gateway/items/batches.h"

#include "partition/charge/request_units.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <utility>

namespace partita {
namespace {

std::unexpected<Error> answer_too_large() {
  return fail(ErrorCode::kTooLarge, "The documents of the answer have more bytes together than an answer may have.",
              ErrorDetail::kAnswerTooLarge);
}

// A batch between its preparation and its answer; shared with the callbacks of its commits.
struct BatchInFlight {
  std::vector<BatchStep> steps;
  std::vector<Result<std::unique_ptr<ItemWork>>> works;
  BatchOutcome outcome;
  std::atomic<size_t> answer_bytes = 0;
  BatchCallback callback;
};

Result<std::unique_ptr<ItemWork>> prepare_step(const ItemWorkshop& workshop, const BatchStep& step) {
  TRY_ASSIGN(ItemWork work, ItemWork::prepare(workshop, step.operation));
  return std::make_unique<ItemWork>(std::move(work));
}

// Before it is run for the first time, and again before any other.
void prepare(const Items& items, const Items::ContainerPtr& container, BatchInFlight& flight) {
  flight.works.clear();
  flight.outcome.steps.clear();
  flight.answer_bytes = 0;
  const ItemWorkshop workshop = items.workshop(container);
  for (const BatchStep& step : flight.steps) {
    flight.works.push_back(prepare_step(workshop, step));
    BatchStepOutcome& outcome = flight.outcome.steps.emplace_back();
    outcome.verb = step.operation.verb;
    outcome.wants_document = step.wants_document;
  }
}

std::shared_ptr<BatchInFlight> prepare(const Items& items, const Items::ContainerPtr& container, std::vector<BatchStep> steps,
                                       BatchCallback callback) {
  auto flight = std::make_shared<BatchInFlight>();
  flight->steps = std::move(steps);
  flight->callback = std::move(callback);
  prepare(items, container, *flight);
  return flight;
}

Status run_step(BatchInFlight& flight, size_t index, Transaction& transaction) {
  if (!flight.works[index]) return std::unexpected(flight.works[index].error());
  ItemWork& work = **flight.works[index];
  TRY(transaction.check_room());
  TRY(work.run(transaction));
  if (flight.steps[index].wants_document) flight.answer_bytes += work.item().record.size();
  if (flight.answer_bytes > kBatchAnswerBytesMax) return answer_too_large();
  return {};
}

void note_failure(BatchStepOutcome& step, const Error& error) {
  step.was_run = true;
  step.error = error;
  step.charge = error.code == ErrorCode::kThrottled ? 0 : kFailedLookupCharge;
}

void note_success(BatchInFlight& flight, size_t index, Lsn lsn, double charge) {
  BatchStepOutcome& step = flight.outcome.steps[index];
  ItemWork& work = **flight.works[index];
  const BatchStep& wanted = flight.steps[index];
  // Clients give the version that they have in either condition.
  const std::string& known = wanted.if_none_match.empty() ? wanted.operation.if_match : wanted.if_none_match;
  step.was_run = true;
  step.is_unchanged =
      work.verb() == ItemVerb::kRead && !known.empty() && (wanted.if_none_match == "*" || known == work.item().etag());
  step.charge = charge;
  step.was_created = work.was_created();
  step.item = work.take_item(lsn);
}

// Whether the error is that of one operation; anything else is one of the whole request.
bool is_failure_of_step(const BatchInFlight& flight, const Error& error) {
  return std::ranges::any_of(flight.outcome.steps,
                             [&](const BatchStepOutcome& step) { return step.error && step.error->code == error.code; });
}

// What the operations of a transaction cost: reads by their documents, writes share the rest evenly.
std::vector<double> charges_of(const BatchInFlight& flight, double whole) {
  std::vector<double> charges(flight.steps.size(), 0);
  double rest = whole;
  size_t writes = 0;
  for (size_t i = 0; i < charges.size(); ++i) {
    const ItemWork& work = **flight.works[i];
    if (work.verb() != ItemVerb::kRead) {
      ++writes;
      continue;
    }
    charges[i] = charge_for({.lookups = 1, .lookup_bytes = work.bytes()});
    rest -= charges[i];
  }
  for (size_t i = 0; i < charges.size(); ++i) {
    if ((*flight.works[i])->verb() != ItemVerb::kRead) charges[i] = rounded_charge(rest / static_cast<double>(writes));
  }
  return charges;
}

void finish_batch(BatchInFlight& flight, const Result<Partition::Commit>& commit) {
  if (!commit && !is_failure_of_step(flight, commit.error())) return flight.callback(std::unexpected(commit.error()));
  BatchOutcome& outcome = flight.outcome;
  if (commit) {
    outcome.lsn = commit->lsn;
    outcome.charge = commit->charge;
    const std::vector<double> charges = charges_of(flight, commit->charge);
    for (size_t i = 0; i < outcome.steps.size(); ++i) note_success(flight, i, commit->lsn, charges[i]);
  } else {
    outcome.lsn = outcome.place->partition->durable_lsn();
    outcome.charge = kFailedLookupCharge;
  }
  flight.callback(std::move(outcome));
}

std::unexpected<Error> wrong_partition(const PartitionPlace& place) {
  return fail(ErrorCode::kPartitionGone,
              fmt::format("The key of this operation does not belong to the partition key range '{}'.", place.range_id));
}

// BulkInFlight: the operations of one bulk request, each in a transaction of its own. The last one to become durable answers.
//
// Invariant: pending_ is the number of operations without outcome, and one more while operations are being started.
class BulkInFlight : public std::enable_shared_from_this<BulkInFlight> {
 public:
  BulkInFlight(const ItemWorkshop& workshop, std::shared_ptr<BatchInFlight> flight, BulkOptions options)
      : workshop_(workshop), flight_(std::move(flight)), options_(std::move(options)), pending_(flight_->steps.size() + 1) {}

  void run() {
    if (!options_.continues_on_error) return start(0);
    for (size_t i = 0; i < flight_->steps.size(); ++i) start(i);
    finish_one();
  }

 private:
  void start(size_t index) {
    Result<std::unique_ptr<ItemWork>>& work = flight_->works[index];
    // Clients send what the server computes a key for to where a document without one would be.
    const bool may_be_anywhere =
        workshop_.container->definition.synthetic_key && leaves_key_open(flight_->steps[index].operation);
    const bool is_elsewhere = work && options_.place != nullptr && (*work)->at().place != options_.place;
    if (is_elsewhere && !may_be_anywhere) work = wrong_partition(*options_.place);
    if (!work) return note(index, std::unexpected(work.error()));
    const Location at = (*work)->at();
    auto body = [flight = flight_, workshop = workshop_, index, is_again = false](Transaction& transaction) mutable -> Status {
      if (std::exchange(is_again, true)) flight->works[index] = prepare_step(workshop, flight->steps[index]);
      return run_step(*flight, index, transaction);
    };
    const bool may_be_long = options_.continues_on_error || options_.on_worker != nullptr;
    const auto length = may_be_long ? Partition::Length::kLong : Partition::Length::kShort;
    at.place->partition->transact(
        at.logical_partition, std::move(body),
        [self = shared_from_this(), index](const Result<Partition::Commit>& commit) { self->note(index, commit); },
        flight_->steps[index].operation.priority, length);
  }

  void note(size_t index, const Result<Partition::Commit>& commit) {
    if (commit) {
      note_success(*flight_, index, commit->lsn, commit->charge);
    } else {
      note_failure(flight_->outcome.steps[index], commit.error());
    }
    if (options_.continues_on_error) return finish_one();
    if (!commit || index + 1 == flight_->steps.size()) return answer();
    if (options_.on_worker == nullptr) return start(index + 1);
    options_.on_worker([self = shared_from_this(), index](const Status& may_go_on) {
      if (may_go_on) return self->start(index + 1);
      note_failure(self->flight_->outcome.steps[index + 1], may_go_on.error());
      self->answer();
    });
  }

  void finish_one() {
    if (pending_.fetch_sub(1, std::memory_order_acq_rel) == 1) answer();
  }

  void answer() {
    BatchOutcome& outcome = flight_->outcome;
    for (const BatchStepOutcome& step : outcome.steps) outcome.charge += step.charge;
    outcome.charge = rounded_charge(outcome.charge);
    outcome.lsn = outcome.place->partition->durable_lsn();
    flight_->callback(std::move(outcome));
  }

  const ItemWorkshop workshop_;
  std::shared_ptr<BatchInFlight> flight_;
  BulkOptions options_;
  std::atomic<size_t> pending_;
};

}  // namespace

bool BatchOutcome::has_failed() const {
  return std::ranges::any_of(steps, [](const BatchStepOutcome& step) { return step.error.has_value() || !step.was_run; });
}

void run_batch(const Items& items, const Items::ContainerPtr& container, const std::optional<PartitionKey>& key,
               std::vector<BatchStep> steps, BatchCallback callback) {
  Result<PartitionKey> whole_key = complete_key(key, container->definition.partition_key);
  if (!whole_key) return callback(std::unexpected(std::move(whole_key).error()));
  for (BatchStep& step : steps) step.operation.key = *whole_key;
  const std::shared_ptr<BatchInFlight> flight = prepare(items, container, std::move(steps), std::move(callback));
  const Location at = locate(*container, *whole_key, {});
  flight->outcome.container = container;
  flight->outcome.place = at.place;
  auto body = [&items, container, flight, is_again = false](Transaction& transaction) mutable -> Status {
    if (std::exchange(is_again, true)) prepare(items, container, *flight);
    for (size_t i = 0; i < flight->steps.size(); ++i) {
      Status outcome = run_step(*flight, i, transaction);
      if (outcome) continue;
      note_failure(flight->outcome.steps[i], outcome.error());
      return outcome;
    }
    return {};
  };
  const Priority priority = flight->steps.empty() ? Priority::kHigh : flight->steps.front().operation.priority;
  at.place->partition->transact(
      at.logical_partition, std::move(body),
      [&items, container, key, flight](const Result<Partition::Commit>& commit) {
        const Items::ContainerPtr heir = heir_of(container, commit);
        if (!heir) return finish_batch(*flight, commit);
        run_batch(items, heir, key, std::move(flight->steps), std::move(flight->callback));
      },
      priority, Partition::Length::kLong);
}

void run_bulk(const Items& items, const Items::ContainerPtr& container, const BulkOptions& options, std::vector<BatchStep> steps,
              BatchCallback callback) {
  std::shared_ptr<BatchInFlight> flight = prepare(items, container, std::move(steps), std::move(callback));
  flight->outcome.container = container;
  flight->outcome.place = options.place == nullptr ? &container->places.front() : options.place;
  std::make_shared<BulkInFlight>(items.workshop(container), std::move(flight), options)->run();
}

}  // namespace partita
