#include "gateway/items/items.h"

#include "base/must_not_wait.h"
#include "cluster/tenants.h"
#include "partition/charge/throttling.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

namespace partita {
namespace {

// As long as an answer takes that is being written.
constexpr int64_t kNoMemoryWaitUs = 500'000;

// For a document that is read, and for the answer that it becomes.
Result<MemoryLoan> memory_for(FairMemory* answers, const Container& container, size_t record_bytes) {
  MemoryLoan loan(answers, tenant_of(container).database);
  if (record_bytes <= kUncountedReadBytesMax || loan.grow_to(2 * record_bytes)) return loan;
  return too_many_waiting("Answers of this database take as much of the server's memory as they may at the moment.",
                          kNoMemoryWaitUs);
}

ItemOutcome left_outcome(const std::shared_ptr<const Container>& container) {
  ItemOutcome outcome;
  outcome.container = container;
  outcome.is_left = true;
  return outcome;
}

}  // namespace

void Items::read(const ContainerPtr& container, const ItemName& name, const LsnDemand& demand, Callback callback,
                 RequestTerms terms) const {
  const MustNotWait scope(!terms.may_wait);
  std::string item_key;
  const auto answer = [&]() -> Result<ItemOutcome> {
    TRY_ASSIGN(const ResolvedName resolved, resolve(*container, name));
    Location at = locate(*container, resolved.key, resolved.id);
    const PartitionClient& partition = *at.place->partition;
    const uint64_t demanded = demand(*at.place);
    if (partition.applied_lsn().value < demanded) {
      return fail(ErrorCode::kSessionNotAvailable,
                  fmt::format("The partition is behind the request's session: it demands LSN {}, partition {} is at {}.",
                              demanded, at.place->range_id, partition.applied_lsn().value),
                  ErrorDetail::kBehindSession);
    }
    TRY_ASSIGN(const int64_t began_us, partition.admit(terms.priority));
    TRY_ASSIGN(std::optional<Item> item, partition.find(at.item_key));
    if (MustNotWait::was_refused()) return MustNotWait::refuse();  // before anything is charged
    const size_t record_bytes = item ? item->record.size() : 0;
    if (record_bytes > terms.read_bytes_max) return left_outcome(container);
    TRY_ASSIGN(MemoryLoan memory, memory_for(answers_, *container, record_bytes));
    // A session may only be told of what cannot be lost any more.
    ItemOutcome outcome{.container = container,
                        .place = at.place,
                        .item = {},
                        .lsn = std::max(partition.durable_lsn(), Lsn{demanded}),
                        .memory = std::move(memory)};
    WorkDone work;
    work.add_lookup(record_bytes);
    outcome.charge = charge_for(work, terms.reads);
    partition.charge(outcome.charge);
    partition.record(began_us, at.logical_partition, outcome.charge);
    if (item) {
      partition.note_read(item->number, outcome.charge);
      outcome.lsn = std::max(outcome.lsn, item->lsn());
      outcome.item = std::move(*item);
    }
    item_key = std::move(at.item_key);
    return outcome;
  };
  Result<ItemOutcome> outcome = answer();
  if (MustNotWait::was_refused()) return callback(left_outcome(container));
  if (!outcome) {
    if (const ContainerPtr heir = heir_of(container, outcome)) return read(heir, name, demand, std::move(callback), terms);
    return callback(std::move(outcome));
  }
  if (outcome->is_left) return callback(std::move(outcome));
  const PartitionClient& partition = *outcome->place->partition;
  const bool is_found = !outcome->item.record.empty();
  // What was read may not be durable yet; that something is missing may come from a deletion that is not. applied_lsn() is a
  // moment behind what is visible.
  const Result<Lsn> visible = is_found ? outcome->lsn : partition.visible_lsn();
  if (!visible) return callback(left_outcome(container));
  const Lsn seen = *visible;
  if (partition.is_durable(seen)) {
    if (!is_found) return callback(item_not_found());
    return callback(std::move(outcome));
  }
  // While writes are refused, nothing becomes durable that is not: what was missing when something did last, and is missing now,
  // can be told to be missing. What is there now in another state than then can not: nobody knows yet which one will stay.
  if (!is_found && partition.is_durably_missing(item_key)) return callback(item_not_found());
  partition.when_durable(
      seen, [is_found, container, outcome = std::move(outcome), callback = std::move(callback)](Status durable) mutable {
        if (!durable && durable.error().code == ErrorCode::kWouldWait) return callback(left_outcome(container));
        if (!durable) return callback(std::unexpected(std::move(durable).error()));
        if (!is_found) return callback(item_not_found());
        callback(std::move(outcome));
      });
}

void Items::create(const ContainerPtr& container, std::string_view json, const std::optional<PartitionKey>& key,
                   Callback callback, RequestTerms terms) const {
  const MustNotWait scope(!terms.may_wait);
  write(container,
        {.verb = ItemVerb::kCreate,
         .id = {},
         .key = key,
         .takes_computed_key = terms.takes_computed_key,
         .body = json,
         .if_match = {},
         .priority = terms.priority,
         .length = terms.writes},
        std::move(callback));
}

void Items::upsert(const ContainerPtr& container, std::string_view json, const std::optional<PartitionKey>& key,
                   const ItemConditions& conditions, Callback callback, RequestTerms terms) const {
  const MustNotWait scope(!terms.may_wait);
  const std::string if_match(conditions.if_match);
  write(container,
        {.verb = ItemVerb::kUpsert,
         .id = {},
         .key = key,
         .takes_computed_key = terms.takes_computed_key,
         .body = json,
         .if_match = if_match,
         .priority = terms.priority,
         .length = terms.writes,
         .stored_bytes_max = conditions.bytes_max},
        std::move(callback));
}

void Items::replace(const ContainerPtr& container, const ItemName& name, std::string_view json, const ItemConditions& conditions,
                    Callback callback, RequestTerms terms) const {
  write_named(container, ItemVerb::kReplace, name, json, conditions, std::move(callback), terms);
}

void Items::patch(const ContainerPtr& container, const ItemName& name, std::string_view json, const ItemConditions& conditions,
                  Callback callback, RequestTerms terms) const {
  write_named(container, ItemVerb::kPatch, name, json, conditions, std::move(callback), terms);
}

void Items::erase(const ContainerPtr& container, const ItemName& name, const ItemConditions& conditions, Callback callback,
                  RequestTerms terms) const {
  write_named(container, ItemVerb::kErase, name, {}, conditions, std::move(callback), terms);
}

void Items::write_named(const ContainerPtr& container, ItemVerb verb, const ItemName& name, std::string_view json,
                        const ItemConditions& conditions, Callback callback, RequestTerms terms) const {
  const MustNotWait scope(!terms.may_wait);
  Result<ResolvedName> resolved = resolve(*container, name);
  if (MustNotWait::was_refused()) return callback(left_outcome(container));
  if (const ContainerPtr heir = heir_of(container, resolved)) {
    return write_named(heir, verb, name, json, conditions, std::move(callback), terms);
  }
  if (!resolved) return callback(std::unexpected(std::move(resolved).error()));
  write(container,
        {.verb = verb,
         .id = std::move(resolved->id),
         .key = std::move(resolved->key),
         .takes_computed_key = terms.takes_computed_key,
         .body = json,
         .if_match = std::string(conditions.if_match),
         .priority = terms.priority,
         .length = terms.writes,
         .stored_bytes_max = conditions.bytes_max},
        std::move(callback));
}

// What was prepared is used up by the first run.
Partition::Body Items::body_to_repeat(const ContainerPtr& container, const ItemOperation& operation,
                                      const std::shared_ptr<std::optional<ItemWork>>& work) const {
  return [this, container, operation, work, is_again = false](Transaction& transaction) mutable -> Status {
    if (std::exchange(is_again, true)) {
      TRY_ASSIGN(ItemWork once_more, ItemWork::prepare(workshop(container), operation));
      work->emplace(std::move(once_more));
    }
    return (*work)->run(transaction);
  };
}

void Items::write(const ContainerPtr& container, const ItemOperation& operation, Callback callback) const {
  Result<ItemWork> prepared = ItemWork::prepare(workshop(container), operation);
  if (!prepared) return callback(std::unexpected(std::move(prepared).error()));
  // Shared, because the commit's callback may outlive this call.
  auto work = std::make_shared<std::optional<ItemWork>>(std::move(*prepared));
  Partition::Body body = [work](Transaction& transaction) { return (*work)->run(transaction); };
  if (operation.length == Partition::Length::kLong) body = body_to_repeat(container, operation, work);
  const Location at = (*work)->at();
  at.place->partition->transact(
      at.logical_partition, std::move(body),
      [this, container, operation, work, callback = std::move(callback)](Result<Partition::Commit> commit) mutable {
        if (const ContainerPtr heir = heir_of(container, commit)) return write(heir, operation, std::move(callback));
        const bool is_left = !commit && ((*work)->is_left() || commit.error().code == ErrorCode::kWouldWait);
        if (is_left) return callback(left_outcome(container));
        if (!commit) return callback(std::unexpected(std::move(commit).error()));
        callback(ItemOutcome{.container = container,
                             .place = (*work)->at().place,
                             .item = (*work)->take_item(commit->lsn),
                             .lsn = commit->lsn,
                             .was_created = (*work)->was_created(),
                             .charge = commit->charge});
      },
      operation.priority, operation.length);
}

}  // namespace partita
