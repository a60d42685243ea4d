#include "base/prefix_end.h"
#include "cluster/catalog/catalog.h"
#include "cluster/catalog/catalog_parts.h"
#include "cluster/index/index_change.h"
#include "cluster/records/records.h"
#include "document/order.h"
#include "engine/item/resource_rid.h"

#include <fmt/format.h>

#include <algorithm>

// The part of the catalog that keeps containers.
namespace partita {
namespace {

// The number of the container of this database whose rid the text is, or would be.
std::optional<uint32_t> container_in_rid(std::string_view text, uint32_t database) {
  const bool is_shaped = text.size() == 12 && text.ends_with('=');  // eight bytes in base64
  const auto in_rid = is_shaped ? number_in_rid(text, sizeof(uint32_t)) : std::nullopt;
  if (!in_rid) return std::nullopt;
  const uint32_t number = *in_rid & ~0x80000000U;
  return rid_text(container_rid_bytes(database, number)) == text ? std::optional(number) : std::nullopt;
}

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

}  // namespace

Result<std::shared_ptr<Container>> Catalog::open_container(std::shared_ptr<const Database> database,
                                                           ContainerDefinition definition, uint32_t number, Revision revision,
                                                           std::vector<PartitionPlace> places) const {
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
  DocumentNumber newest;
  for (const PartitionPlace& place : container->places) newest = std::max(newest, place.partition->counters().newest);
  container->numbers = std::make_shared<DocumentNumbers>(newest);
  container->lineage = std::make_shared<ContainerLineage>();
  return container;
}

std::shared_ptr<const Container> Catalog::find_container(const DatabaseEntry& entry, std::string_view id_or_rid) {
  if (const auto in_rid = container_in_rid(id_or_rid, entry.database->number)) {
    const auto by_rid = entry.containers.find(*in_rid);
    if (by_rid != entry.containers.end()) return by_rid->second;
  }
  const auto by_id = entry.numbers_by_id.find(id_or_rid);
  if (by_id == entry.numbers_by_id.end()) return nullptr;
  const auto container = entry.containers.find(by_id->second);
  return container == entry.containers.end() ? nullptr : container->second;
}

void Catalog::publish(DatabaseEntry& entry, std::shared_ptr<const Container> container) {
  entry.numbers_by_id[container->definition.id] = container->number;
  container->lineage->set_newest(container);
  entry.containers[container->number] = std::move(container);
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
  const auto offer = offers_by_owner_.find({container.database->number, container.number});
  if (offer != offers_by_owner_.end()) batch.erase(Family::kCatalog, offer_key(offer->second));
}

Result<std::shared_ptr<const Container>> Catalog::container(std::string_view database, std::string_view id_or_rid) const {
  const auto lock = reading();
  const DatabaseEntry* entry = find_entry(database);
  if (entry == nullptr) return no_database(database, ErrorCode::kOwnerNotFound);
  std::shared_ptr<const Container> container = find_container(*entry, id_or_rid);
  if (!container) return no_container(id_or_rid);
  return container;
}

Result<Catalog::Containers> Catalog::containers(std::string_view database) const {
  const auto lock = reading();
  const DatabaseEntry* entry = find_entry(database);
  if (entry == nullptr) return no_database(database, ErrorCode::kOwnerNotFound);
  Containers all;
  for (const auto& [number, container] : entry->containers) all.push_back(container);
  return all;
}

Result<std::vector<PartitionPlace>> Catalog::make_places(const ContainerDefinition& definition, size_t count, WriteBatch& batch) {
  std::vector<PartitionPlace> places;
  for (EffectiveKeyRange& range : even_ranges(count, definition.partition_key)) {
    TRY_ASSIGN(const uint32_t number, next_number(kPartitionCounter, batch));
    TRY_ASSIGN(const uint32_t index, next_number(kIndexCounter, batch));
    TRY_ASSIGN(auto partition, Partition::open(store_, clock_, PartitionId{number}, std::move(range),
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
  TRY_ASSIGN(const auto changes, begin_change());
  DatabaseEntry* entry = find_entry(database);
  if (entry == nullptr) return no_database(database, ErrorCode::kOwnerNotFound);
  if (container_in_rid(definition.id, entry->database->number)) return id_is_rid(definition.id);
  if (entry->numbers_by_id.contains(definition.id)) {
    return fail(ErrorCode::kAlreadyExists, fmt::format("The container '{}' already exists.", definition.id));
  }
  const bool shares_throughput = !throughput && offers_by_owner_.contains({entry->database->number, 0});
  if (!throughput && !shares_throughput) throughput = Throughput{};
  const bool is_single = definition.partition_key.paths.empty() || shares_throughput;
  const bool is_manual = throughput && !throughput->autoscale_max;
  const int64_t per_partition = is_manual ? limits_.new_partition_throughput : kThroughputPerPartition;
  const size_t partitions = is_single ? 1 : partitions_for(*throughput, per_partition);
  if (throughput) TRY(check_can_be_spread(definition, *throughput));

  WriteBatch batch(store_);
  TRY_ASSIGN(const uint32_t number, next_number(kContainerCounter, batch));
  TRY_ASSIGN(std::vector<PartitionPlace> places, make_places(definition, partitions, batch));
  TRY_ASSIGN(auto container, open_container(entry->database, std::move(definition), number, new_revision(), std::move(places)));
  batch.put(Family::kCatalog, container_key(entry->database->number, number), encode_container(*container));
  std::shared_ptr<const Offer> offer;
  if (throughput) {
    TRY_ASSIGN(const uint32_t offer_number, next_number(kOfferCounter, batch));
    offer = add_offer(offer_number, entry->database->number, number, *throughput, batch);
  }
  TRY(commit(batch, [this, entry, container, offer] {
    provision(*entry, *container, offer.get());
    publish(*entry, container);
    publish(offer);
  }));
  return container;
}

Result<std::shared_ptr<const Container>> Catalog::replace_container(std::string_view database, std::string_view id_or_rid,
                                                                    ContainerDefinition definition, std::string_view if_match) {
  IndexChange change;
  TRY_ASSIGN(auto changes, begin_change());
  TRY(wait_for_fence(changes, database, id_or_rid));
  DatabaseEntry* entry = find_entry(database);
  if (entry == nullptr) return no_database(database, ErrorCode::kOwnerNotFound);
  const std::shared_ptr<const Container> before = find_container(*entry, id_or_rid);
  if (!before) return no_container(id_or_rid);
  TRY(check_etag(if_match, before->revision));
  if (definition.id != before->definition.id) {
    return fail(ErrorCode::kInvalidInput, fmt::format("The id of a container cannot change: it is '{}', the request has '{}'.",
                                                      before->definition.id, definition.id));
  }
  if (definition.partition_key != before->definition.partition_key) {
    return fail(ErrorCode::kInvalidInput, "Document collection partition key cannot be changed.");
  }
  TRY(keep_synthetic_key(before->definition, definition));
  if (definition.form != before->definition.form) {
    return fail(ErrorCode::kInvalidInput, "The document form of a container cannot be changed.");
  }
  TRY(check_form(definition));
  if (definition.rules->unique_keys != before->definition.rules->unique_keys) {
    return fail(ErrorCode::kInvalidInput, "The unique key policy of a container cannot be changed.");
  }
  auto after = std::make_shared<Container>(*before);
  after->definition = std::move(definition);
  after->revision = new_revision();
  WriteBatch batch(store_);
  DroppedRows dropped;
  if (after->definition.indexing->is_same(*before->definition.indexing)) {
    after->definition.indexing = before->definition.indexing;
  } else {
    TRY_ASSIGN(const std::vector<Partition::Index> news, name_new_indexes(*after));
    for (size_t i = 0; i < news.size(); ++i) change.grow(after->places[i].partition->local(), news[i], dropped);
  }
  batch.put(Family::kCatalog, container_key(after->database->number, after->number), encode_container(*after));
  Status outcome = commit(
      batch,
      [this, entry, after] {
        publish(*entry, after);
        for (const PartitionPlace& place : after->places) place.partition->local().set_rules(after->definition.rules);
      },
      [&] { change.keep(); }, std::move(dropped));
  change.undo_unless_kept();
  if (change.is_kept() && indexes_grow_) indexes_grow_();
  TRY(std::move(outcome));
  return after;
}

Status Catalog::check_is_current(const Container& container) const {
  const auto database = databases_.find(container.database->number);
  if (database != databases_.end() && database->second.containers.contains(container.number)) return {};
  return no_container(container.definition.id, ErrorCode::kOwnerNotFound);
}

Status Catalog::delete_container(std::string_view database, std::string_view id_or_rid, std::string_view if_match) {
  TRY_ASSIGN(const auto changes, begin_change());
  DatabaseEntry* entry = find_entry(database);
  if (entry == nullptr) return no_database(database, ErrorCode::kOwnerNotFound);
  const std::shared_ptr<const Container> container = find_container(*entry, id_or_rid);
  if (!container) return no_container(id_or_rid);
  TRY(check_etag(if_match, container->revision));
  WriteBatch batch(store_);
  erase_container(*container, batch);
  return commit_deletion(batch, {container}, [this, entry, container] {
    if (const auto offer = offers_by_owner_.find({container->database->number, container->number});
        offer != offers_by_owner_.end()) {
      offers_.erase(offer->second);
      offers_by_owner_.erase(offer);
    }
    scripts_.erase(container->number);
    entry->numbers_by_id.erase(container->definition.id);
    entry->containers.erase(container->number);
  });
}

}  // namespace partita
