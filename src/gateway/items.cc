#include "gateway/items.h"

#include "base/check.h"
#include "document/json.h"
#include "engine/draft.h"
#include "partition/request_units.h"

#include <fmt/format.h>

namespace partita {
namespace {

constexpr std::string_view kNotFoundMessage = "Resource Not Found. Learn more: https://aka.ms/cosmosdb-tsg-not-found";

// Where a document is: its partition and its primary key there.
struct Location {
  const PartitionPlace* place;
  std::string logical_partition;  // names it among the partition's latches
  std::string item_key;
};

Location locate(const Container& container, const PartitionKey& key, std::string_view id) {
  const EffectivePartitionKey hash = effective_partition_key(key, container.definition.partition_key);
  const PartitionPlace& place = container.place_of(hash);
  return {&place, hash, item_key(place.partition->id(), hash, key, id)};
}

std::unexpected<Error> not_found() { return fail(ErrorCode::kNotFound, std::string(kNotFoundMessage)); }

Status check_if_match(std::string_view if_match, const Item& item) {
  if (if_match.empty() || if_match == "*" || if_match == item.etag()) return {};
  return fail(ErrorCode::kPreconditionFailed,
              "Operation cannot be performed because one of the specified precondition is not met: the document has changed "
              "since the etag in If-Match.");
}

// The document that a number names, wherever it is; for clients that address by resource id. Nothing when there is none.
Result<std::optional<Item>> find_by_number(const Container& container, DocumentNumber number) {
  for (const PartitionPlace& place : container.places) {
    TRY_ASSIGN(std::optional<Item> item, place.partition->slice().load(number));
    if (item) return item;
  }
  return std::nullopt;
}

// The container as it is now, when a write was refused because its partition was split or merged meanwhile; else null.
std::shared_ptr<const Container> heir_of(const std::shared_ptr<const Container>& container,
                                         const Result<Partition::Commit>& commit) {
  if (commit || commit.error().code != ErrorCode::kPartitionGone) return nullptr;
  std::shared_ptr<const Container> newest = container->lineage->newest();
  return newest == container ? nullptr : newest;
}

// Id and whole partition key of what the name means.
struct ResolvedName {
  std::string id;
  PartitionKey key;
};
Result<ResolvedName> resolve(const Container& container, const ItemName& name) {
  if (name.number) {
    TRY_ASSIGN(const std::optional<Item> item, find_by_number(container, *name.number));
    if (item) {
      return ResolvedName{std::string(item->id()), PartitionKey::of(item->document(), container.definition.partition_key)};
    }
  }
  TRY_ASSIGN(PartitionKey key, complete_key(name.key, container.definition.partition_key));
  return ResolvedName{std::string(name.id), std::move(key)};
}

}  // namespace

// A write between its preparation and its commit.
struct PutInFlight {
  ItemDraft draft;
  Location at;
  std::string old_item_key;  // where it is when it changes its id, else empty
  DocumentNumber number;
  bool was_created = false;
  Items::Callback callback;
};

Result<PartitionKey> complete_key(const std::optional<PartitionKey>& given, const PartitionKeyDefinition& definition) {
  const size_t wanted = definition.paths.size();
  if (wanted == 0) {
    const bool is_none = !given || given->components.empty() ||
                         (given->components.size() == 1 && std::holds_alternative<UndefinedKey>(given->components[0]));
    if (is_none) return PartitionKey{};
    return fail(ErrorCode::kInvalidInput, "This container has no partition key, but the request gives one.");
  }
  if (!given) return fail(ErrorCode::kInvalidInput, "PartitionKey value must be supplied for this operation.");
  if (given->components.size() == wanted) return *given;
  if (given->components.empty()) return PartitionKey{std::vector<PartitionKeyComponent>(wanted, UndefinedKey{})};
  return fail(
      ErrorCode::kInvalidInput,
      fmt::format("Partition key provided either doesn't correspond to definition in the collection or doesn't match "
                  "partition key field values specified in the document: it has {} components, the container's key has {}.",
                  given->components.size(), wanted));
}

void Items::read(const ContainerPtr& container, const ItemName& name, const LsnDemand& demand, Callback callback) const {
  const auto answer = [&]() -> Result<ItemOutcome> {
    TRY_ASSIGN(const ResolvedName resolved, resolve(*container, name));
    const Location at = locate(*container, resolved.key, resolved.id);
    const Partition& partition = *at.place->partition;
    const uint64_t demanded = demand(*at.place);
    if (partition.applied_lsn().value < demanded) {
      return fail(ErrorCode::kSessionNotAvailable,
                  fmt::format("The read session is not available for the input session token: it demands LSN {}, "
                              "partition {} is at {}.",
                              demanded, at.place->range_id, partition.applied_lsn().value));
    }
    TRY_ASSIGN(std::optional<Item> item, partition.slice().find(at.item_key));
    // A session may only be told of what cannot be lost any more.
    ItemOutcome outcome{
        .container = container, .place = at.place, .item = {}, .lsn = std::max(partition.durable_lsn(), Lsn{demanded})};
    if (item) {
      outcome.charge = read_charge(item->record.size());
      outcome.lsn = std::max(outcome.lsn, item->lsn());
      outcome.item = std::move(*item);
    }
    return outcome;
  };
  Result<ItemOutcome> outcome = answer();
  if (!outcome) return callback(std::move(outcome));
  Partition& partition = *outcome->place->partition;
  const bool is_found = !outcome->item.record.empty();
  // What was read may not be durable yet; that something is missing may come from a deletion that is not.
  const Lsn seen = is_found ? outcome->lsn : partition.counters().lsn;  // applied_lsn() is a moment behind what is visible
  if (partition.is_durable(seen)) {
    if (!is_found) return callback(not_found());
    return callback(std::move(outcome));
  }
  partition.when_durable(seen, [is_found, outcome = std::move(outcome), callback = std::move(callback)](Status durable) mutable {
    if (!durable) return callback(std::unexpected(std::move(durable).error()));
    if (!is_found) return callback(not_found());
    callback(std::move(outcome));
  });
}

void Items::create(const ContainerPtr& container, std::string_view json, const std::optional<PartitionKey>& key,
                   Callback callback) const {
  put(container, json, key, {}, Existing::kMustNotExist, {}, std::move(callback));
}

void Items::upsert(const ContainerPtr& container, std::string_view json, const std::optional<PartitionKey>& key,
                   const ItemConditions& conditions, Callback callback) const {
  put(container, json, key, {}, Existing::kMayExist, conditions, std::move(callback));
}

void Items::replace(const ContainerPtr& container, const ItemName& name, std::string_view json, const ItemConditions& conditions,
                    Callback callback) const {
  Result<ResolvedName> resolved = resolve(*container, name);
  if (!resolved) return callback(std::unexpected(std::move(resolved).error()));
  put(container, json, resolved->key, resolved->id, Existing::kMustExist, conditions, std::move(callback));
}

namespace {

Status check_given_key(const std::optional<PartitionKey>& given, const PartitionKey& own_key,
                       const PartitionKeyDefinition& definition) {
  if (!given) return {};
  TRY_ASSIGN(const PartitionKey whole, complete_key(given, definition));
  if (whole == own_key) return {};
  return fail(ErrorCode::kPartitionKeyMismatch, fmt::format("PartitionKey extracted from document doesn't match the one "
                                                            "specified in the header: the document has {}, the header {}.",
                                                            own_key.to_json(), whole.to_json()));
}

}  // namespace

Result<std::shared_ptr<PutInFlight>> Items::prepare_put(const ContainerPtr& container, std::string_view json,
                                                        const std::optional<PartitionKey>& key,
                                                        std::string_view expected_id) const {
  const int64_t now = clock_.unix_seconds();
  TRY_ASSIGN(ItemDraft draft, ItemDraft::from_json(json, container->identity, etags_.next(now), now));
  const PartitionKeyDefinition& definition = container->definition.partition_key;
  const PartitionKey own_key = PartitionKey::of(draft.document(), definition);
  TRY(check_given_key(key, own_key, definition));
  Location at = locate(*container, own_key, draft.id());
  const bool is_renamed = !expected_id.empty() && draft.id() != expected_id;
  std::string old_item_key = is_renamed ? locate(*container, own_key, expected_id).item_key : std::string();
  return std::make_shared<PutInFlight>(PutInFlight{.draft = std::move(draft),
                                                   .at = std::move(at),
                                                   .old_item_key = std::move(old_item_key),
                                                   .number = {},
                                                   .was_created = false,
                                                   .callback = {}});
}

void Items::put(const ContainerPtr& container, std::string_view json, const std::optional<PartitionKey>& key,
                std::string_view expected_id, Existing existing, const ItemConditions& conditions, Callback callback) const {
  Result<std::shared_ptr<PutInFlight>> prepared = prepare_put(container, json, key, expected_id);
  if (!prepared) return callback(std::unexpected(std::move(prepared).error()));
  const std::shared_ptr<PutInFlight> flight = *std::move(prepared);
  flight->callback = std::move(callback);
  // Owns what it needs: it runs later when the logical partition is held.
  auto body = [flight, container, existing, conditions](Transaction& transaction) -> Status {
    TRY_ASSIGN(const Item* stored, transaction.find(flight->at.item_key));
    const bool is_renamed = !flight->old_item_key.empty();
    if (stored != nullptr && (existing == Existing::kMustNotExist || is_renamed)) {
      return fail(ErrorCode::kAlreadyExists, "Entity with the specified id already exists in the system.");
    }
    if (is_renamed) {
      TRY_ASSIGN(stored, transaction.find(flight->old_item_key));
    }
    if (stored == nullptr && existing == Existing::kMustExist) return not_found();
    if (stored != nullptr) TRY(check_if_match(conditions.if_match, *stored));
    flight->was_created = stored == nullptr;
    flight->number = stored == nullptr ? container->numbers->next() : stored->number;
    flight->draft.set_number(flight->number, container->identity);
    if (is_renamed) transaction.erase(flight->old_item_key);
    transaction.put(flight->at.item_key, Item{flight->number, flight->draft.record()});
    return {};
  };
  flight->at.place->partition->transact(
      flight->at.logical_partition, std::move(body),
      [this, container, flight, json, key, id = std::string(expected_id), existing,
       conditions](Result<Partition::Commit> commit) {
        if (const ContainerPtr heir = heir_of(container, commit)) {
          return put(heir, json, key, id, existing, conditions, std::move(flight->callback));
        }
        if (!commit) return flight->callback(std::unexpected(std::move(commit).error()));
        set_lsn(flight->draft.record(), commit->lsn);
        const double charge = write_charge(flight->draft.record().size(), commit->index_terms_changed);
        flight->callback(ItemOutcome{.container = container,
                                     .place = flight->at.place,
                                     .item = Item{flight->number, std::move(flight->draft.record())},
                                     .lsn = commit->lsn,
                                     .was_created = flight->was_created,
                                     .charge = charge});
      });
}

void Items::erase(const ContainerPtr& container, const ItemName& name, const ItemConditions& conditions,
                  Callback callback) const {
  Result<ResolvedName> resolved = resolve(*container, name);
  if (!resolved) return callback(std::unexpected(std::move(resolved).error()));
  const Location at = locate(*container, resolved->key, resolved->id);
  auto bytes = std::make_shared<size_t>(0);  // shared, because the callback may outlive this call
  auto body = [conditions, bytes, item_key = at.item_key](Transaction& transaction) -> Status {
    TRY_ASSIGN(const Item* stored, transaction.find(item_key));
    if (stored == nullptr) return not_found();
    TRY(check_if_match(conditions.if_match, *stored));
    *bytes = stored->record.size();
    transaction.erase(item_key);
    return {};
  };
  at.place->partition->transact(at.logical_partition, std::move(body),
                                [this, container, place = at.place, name, conditions, bytes,
                                 callback = std::move(callback)](Result<Partition::Commit> commit) mutable {
                                  if (const ContainerPtr heir = heir_of(container, commit))
                                    return erase(heir, name, conditions, std::move(callback));
                                  if (!commit) return callback(std::unexpected(std::move(commit).error()));
                                  callback(ItemOutcome{.container = container,
                                                       .place = place,
                                                       .item = {},
                                                       .lsn = commit->lsn,
                                                       .was_created = false,
                                                       .charge = write_charge(*bytes, commit->index_terms_changed)});
                                });
}

}  // namespace partita
