#include "base/prefix_end.h"
#include "cluster/catalog/catalog.h"
#include "cluster/index/index_change.h"
#include "cluster/records/records.h"
#include "document/order.h"
#include "engine/item/resource_rid.h"

#include <fmt/format.h>

#include <algorithm>

// Containers, and how their partitions are opened.
namespace partita {
namespace {

constexpr std::string_view kContainerCounter = "container";

// What expires, or is kept in versions, says so in its system properties.
Status check_form(const ContainerDefinition& definition) {
  const DocumentRules& rules = *definition.rules;
  if (definition.form.has_system_properties || (!rules.time_to_live.is_on() && !rules.versions.is_on())) return {};
  return fail(ErrorCode::kInvalidInput, "Documents without system properties neither expire nor have their versions kept.");
}

// What computes the partition key stays as it is. A container that has been there before keys were computed goes on without.
Status keep_synthetic_key(const ContainerDefinition& before, ContainerDefinition& after) {
  const query::SyntheticKey* const own = before.synthetic_key.get();
  if (own == nullptr && after.synthetic_key) {
    TRY_ASSIGN(const auto meant, query::SyntheticKey::of(Value::view(before.properties), before.partition_key));
    if (meant && meant->is_same(*after.synthetic_key)) {
      after.synthetic_key = nullptr;
      return {};
    }
  }
  const bool is_same = own == nullptr ? !after.synthetic_key : after.synthetic_key && own->is_same(*after.synthetic_key);
  if (!is_same) {
    return fail(ErrorCode::kInvalidInput,
                "The computed properties that are the partition key cannot be changed, added or left out when a container is "
                "replaced. Send them as they are; `partita migrate` changes the partition key of a container and moves its "
                "documents.");
  }
  return {};
}

// What cannot change in the life of a container. The definition is without a computed key afterwards if the container is.
Status check_replaces(ContainerDefinition& definition, const Container& before) {
  if (definition.id != before.definition.id) {
    return fail(ErrorCode::kInvalidInput, fmt::format("The id of a container cannot change: it is '{}', the request has '{}'.",
                                                      before.definition.id, definition.id));
  }
  if (definition.partition_key != before.definition.partition_key) {
    return fail(ErrorCode::kInvalidInput, "The partition key of a container cannot be changed.", ErrorDetail::kFixedKey);
  }
  TRY(keep_synthetic_key(before.definition, definition));
  if (definition.form != before.definition.form) {
    return fail(ErrorCode::kInvalidInput, "The document form of a container cannot be changed.");
  }
  TRY(check_form(definition));
  if (definition.rules->unique_keys != before.definition.rules->unique_keys) {
    return fail(ErrorCode::kInvalidInput, "The unique key policy of a container cannot be changed.");
  }
  return {};
}

// Its document numbers are the caller's to give. REQUIRES: its partitions are open.
std::shared_ptr<Container> container_of(std::shared_ptr<const Database> database, ContainerDefinition definition, uint32_t number,
                                        Revision revision, std::vector<PartitionPlace> places) {
  auto container = std::make_shared<Container>();
  container->number = number;
  container->identity.rid_bytes = container_rid_bytes(database->number, number);
  container->rid_text = rid_text(container->identity.rid_bytes);
  container->identity.self_link = fmt::format("{}colls/{}/", database->self_link(), container->rid_text);
  container->name_link = fmt::format("dbs/{}/colls/{}", printable_id(database->id), printable_id(definition.id));
  container->database = std::move(database);
  container->definition = std::move(definition);
  container->revision = std::move(revision);
  container->places = std::move(places);
  container->lineage = std::make_shared<ContainerLineage>();
  return container;
}

}  // namespace

// With the index that was being built, if any, as far as it had come.
Result<std::shared_ptr<Partition>> Catalog::open_partition(PlaceRecord& place, const ContainerDefinition& definition) {
  const Partition::Index index{place.index, place.growing ? place.former_policy : definition.indexing};
  TRY_ASSIGN(auto partition, Partition::open(changes_.store(), changes_.clock(), place.partition, std::move(place.range), index,
                                             definition.rules));
  TRY(heat_.restore(*partition));
  if (!place.growing) return partition;
  std::string filled_to;
  TRY_ASSIGN(const bool has_begun, changes_.store().get(Family::kCatalog, index_progress_key(*place.growing), filled_to));
  if (has_begun && filled_to.size() != sizeof(uint64_t)) {
    return fail(ErrorCode::kCorruption, "how far an index was built cannot be decoded");
  }
  const Partition::Pause pause = partition->pause_writers();
  partition->set_index(index, partition->growth_of({*place.growing, definition.indexing},
                                                   has_begun ? trailing_number(filled_to) : DocumentNumber{}));
  return partition;
}

Status Catalog::load_container(ContainerRecord record) {
  const CatalogMap::Entry* owner = map_.find(record.database);
  if (owner == nullptr) {
    return fail(ErrorCode::kCorruption, fmt::format("container '{}' has no database", record.definition.id));
  }
  std::vector<PartitionPlace> places;
  for (PlaceRecord& place : record.places) {
    TRY_ASSIGN(auto partition, open_partition(place, record.definition));
    places.push_back(
        {std::move(place.range_id), std::move(place.parents), std::make_shared<const PartitionClient>(std::move(partition))});
  }
  const std::shared_ptr<Container> container =
      container_of(owner->database, std::move(record.definition), record.number, std::move(record.revision), std::move(places));
  container->former = std::move(record.former);
  container->lineage->loan() = changes_.memory().loan(container->database->number);
  TRY(container->lineage->loan().grow_to(container->memory_bytes(), FairMemory::Claim::kAlways));
  DocumentNumber newest;
  for (const PartitionPlace& place : container->places) newest = std::max(newest, place.partition->counters().newest);
  TRY_ASSIGN(container->numbers, numbers_.open(record.database, record.number, newest));
  offers_.provision(*container, offers_.own(record.database, record.number).get());
  map_.put(container);
  return {};
}

Result<const CatalogMap::Entry*> Catalog::find_owner(std::string_view database) const {
  const CatalogMap::Entry* entry = map_.find(database);
  if (entry == nullptr) return no_database(database, ErrorCode::kOwnerNotFound);
  return entry;
}

Result<std::shared_ptr<const Container>> Catalog::container(std::string_view database, std::string_view id_or_rid) const {
  const auto lock = changes_.reading();
  TRY_ASSIGN(const CatalogMap::Entry* entry, find_owner(database));
  std::shared_ptr<const Container> container = CatalogMap::find(*entry, id_or_rid);
  if (!container) return no_container(id_or_rid);
  return container;
}

std::shared_ptr<const Container> Catalog::container(uint32_t database, uint32_t number) const {
  const auto lock = changes_.reading();
  return map_.find(database, number);
}

Result<Catalog::Containers> Catalog::containers(std::string_view database) const {
  const auto lock = changes_.reading();
  TRY_ASSIGN(const CatalogMap::Entry* entry, find_owner(database));
  return entry->list();
}

Catalog::Containers Catalog::containers() const {
  const auto lock = changes_.reading();
  return map_.containers();
}

void Catalog::for_each_container(const std::function<void(const Container&)>& visit) const {
  for (const std::shared_ptr<const Container>& container : containers()) visit(*container);
}

Result<std::vector<PartitionPlace>> Catalog::make_places(const ContainerDefinition& definition, size_t count, WriteBatch& batch) {
  std::vector<PartitionPlace> places;
  for (EffectiveKeyRange& range : even_ranges(count, definition.partition_key)) {
    TRY_ASSIGN(const uint32_t number, changes_.next_number(kPartitionCounter, batch));
    TRY_ASSIGN(const uint32_t index, changes_.next_number(kIndexCounter, batch));
    TRY_ASSIGN(auto partition, Partition::open(changes_.store(), changes_.clock(), PartitionId{number}, std::move(range),
                                               {IndexId{index}, definition.indexing}, definition.rules));
    places.push_back({std::to_string(places.size()), {}, std::make_shared<const PartitionClient>(std::move(partition))});
  }
  return places;
}

Result<std::shared_ptr<const Container>> Catalog::create_container(std::string_view database, ContainerDefinition definition,
                                                                   std::optional<Throughput> throughput) {
  TRY(check_resource_id(definition.id));
  TRY(check_form(definition));
  if (throughput) TRY(check_throughput(*throughput));
  TRY_ASSIGN(const auto changes, changes_.begin());
  TRY_ASSIGN(const CatalogMap::Entry* entry, find_owner(database));
  const std::shared_ptr<const Database> owner = entry->database;
  if (is_like_container_rid(definition.id, owner->number)) return id_is_rid(definition.id);
  if (entry->numbers_by_id.contains(definition.id)) {
    return fail(ErrorCode::kAlreadyExists, fmt::format("The container '{}' already exists.", definition.id));
  }
  if (!throughput && !offers_.has_own(owner->number, 0)) throughput = Throughput{};
  if (throughput) TRY(check_can_be_spread(definition, *throughput));

  // Before they are made.
  const size_t partitions = offers_.partitions_of(definition, throughput);
  CatalogLoan loan = changes_.memory().loan(owner->number);
  TRY(loan.grow_to(partitions * kPartitionMemoryBytes));
  WriteBatch batch(changes_.store());
  TRY_ASSIGN(const uint32_t number, changes_.next_number(kContainerCounter, batch));
  TRY_ASSIGN(std::vector<PartitionPlace> places, make_places(definition, partitions, batch));
  auto container = container_of(owner, std::move(definition), number, changes_.new_revision(), std::move(places));
  TRY(loan.grow_to(container->memory_bytes()));
  container->lineage->loan() = std::move(loan);
  container->numbers = NumberLeases::begin(owner->number, number, batch);
  batch.put(Family::kCatalog, container_key(owner->number, number), encode_container(*container));
  std::shared_ptr<const Offer> offer;
  if (throughput) {
    TRY_ASSIGN(offer, offers_.add(owner->number, number, *throughput, batch));
  }
  TRY(changes_.commit(batch, [this, container, offer] {
    offers_.provision(*container, offer.get());
    map_.put(container);
    offers_.put(offer);
  }));
  return container;
}

Result<std::shared_ptr<const Container>> Catalog::replace_container(std::string_view database, std::string_view id_or_rid,
                                                                    ContainerDefinition definition, std::string_view if_match) {
  IndexChange change;
  TRY_ASSIGN(auto changes, changes_.begin());
  TRY(reshapes_.wait_for_fence(changes, database, id_or_rid));
  TRY_ASSIGN(const CatalogMap::Entry* entry, find_owner(database));
  const std::shared_ptr<const Container> before = CatalogMap::find(*entry, id_or_rid);
  if (!before) return no_container(id_or_rid);
  TRY(check_etag(if_match, before->revision));
  TRY(check_replaces(definition, *before));
  auto after = std::make_shared<Container>(*before);
  after->definition = std::move(definition);
  after->revision = changes_.new_revision();
  DroppedRows dropped;
  if (after->definition.indexing->is_same(*before->definition.indexing)) {
    after->definition.indexing = before->definition.indexing;
  } else {
    TRY(indexes_.begin(*after, change, dropped));
  }
  TRY(after->lineage->loan().grow_to(after->memory_bytes()));
  WriteBatch batch(changes_.store());
  batch.put(Family::kCatalog, container_key(after->database->number, after->number), encode_container(*after));
  Status outcome = changes_.commit(
      batch,
      [this, after] {
        map_.put(after);
        after->lineage->loan().shrink_to(after->memory_bytes());
        for (const PartitionPlace& place : after->places) place.partition->local().set_rules(after->definition.rules);
      },
      [&] { change.keep(); }, std::move(dropped));
  change.undo_unless_kept();
  if (change.is_kept()) indexes_.tell_listener();
  TRY(std::move(outcome));
  return after;
}

void Catalog::erase_container(const Container& container, WriteBatch& batch) const {
  for (const PartitionPlace& place : container.places) {
    place.partition->local().retire({ErrorCode::kOwnerNotFound, "the container of this document was deleted"});
  }
  batch.erase(Family::kCatalog, container_key(container.database->number, container.number));
  batch.erase(Family::kCatalog, reshape_key(container.database->number, container.number));
  const std::string scripts = script_key_prefix(container.database->number, container.number);
  batch.erase_range(Family::kCatalog, scripts, prefix_end(scripts));
  const std::string erasures = erasure_key_prefix(container.database->number, container.number);
  batch.erase_range(Family::kCatalog, erasures, prefix_end(erasures));
  NumberLeases::erase(container.database->number, container.number, batch);
  offers_.erase(container.database->number, container.number, batch);
}

void Catalog::forget_container(const Container& container) {
  offers_.forget(container.database->number, container.number);
  scripts_.forget(container);
  map_.erase(container);
}

Status Catalog::delete_container(std::string_view database, std::string_view id_or_rid, std::string_view if_match) {
  TRY_ASSIGN(const auto changes, changes_.begin());
  TRY_ASSIGN(const CatalogMap::Entry* entry, find_owner(database));
  const std::shared_ptr<const Container> container = CatalogMap::find(*entry, id_or_rid);
  if (!container) return no_container(id_or_rid);
  TRY(check_etag(if_match, container->revision));
  WriteBatch batch(changes_.store());
  erase_container(*container, batch);
  return commit_deletion(batch, {container}, [this, container] { forget_container(*container); });
}

}  // namespace partita
