#include "cluster/catalog.h"

#include "base/bytes.h"
#include "base/check.h"
#include "base/encodings.h"
#include "base/prefix_end.h"
#include "cluster/index_change.h"
#include "cluster/records.h"
#include "document/order.h"
#include "engine/resource_rid.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>

namespace partita {
namespace {

constexpr uint32_t kOfferNumberMax = 0xFFFFFF;
constexpr std::string_view kDatabaseCounter = "database";
constexpr std::string_view kContainerCounter = "container";
constexpr std::string_view kOfferCounter = "offer";
constexpr std::string_view kPartitionCounter = "partition";
constexpr std::string_view kIndexCounter = "index";
constexpr std::string_view kScriptCounter = "script";

std::unexpected<Error> no_database(std::string_view id, ErrorCode code) {
  return fail(code, fmt::format("The database '{}' does not exist.", id));
}

std::unexpected<Error> no_container(std::string_view id, ErrorCode code = ErrorCode::kNotFound) {
  return fail(code, fmt::format("The container '{}' does not exist.", id));
}

// The number in a rid that has `prefix` bytes before it; nothing when the text is not such a rid.
std::optional<uint32_t> number_in_rid(std::string_view text, size_t prefix) {
  std::string plain(text);
  std::ranges::replace(plain, '-', '/');
  const auto bytes = from_base64(plain);
  if (!bytes || bytes->size() != prefix + sizeof(uint32_t)) return std::nullopt;
  return load_big_endian<uint32_t>(bytes->data() + prefix);
}

// Without partition key a container has one partition for ever.
Status check_can_be_spread(const ContainerDefinition& definition, const Throughput& throughput) {
  if (!definition.partition_key.paths.empty() || throughput.planned() <= kThroughputPerPartition) return {};
  return fail(ErrorCode::kInvalidInput,
              fmt::format("A container without partition key can have at most {} RU/s.", kThroughputPerPartition));
}

}  // namespace

size_t partitions_for(const Throughput& throughput, int64_t per_partition) {
  const int64_t planned = std::max<int64_t>(throughput.planned(), 1);
  return static_cast<size_t>((planned + per_partition - 1) / per_partition);
}

Status check_resource_id(std::string_view id) {
  if (id.empty() || id.size() > kResourceIdCharsMax) {
    return fail(ErrorCode::kInvalidInput,
                fmt::format("An id must have 1 to {} characters; this one has {}.", kResourceIdCharsMax, id.size()));
  }
  if (id.find_first_of("/\\?#") != std::string_view::npos || id.back() == ' ') {
    return fail(ErrorCode::kInvalidInput, fmt::format("The id '{}' must not contain / \\ ? # nor end in a space.", id));
  }
  return {};
}

Status check_etag(std::string_view if_match, const Revision& revision) {
  if (if_match.empty() || if_match == "*" || if_match == revision.etag) return {};
  return fail(ErrorCode::kPreconditionFailed,
              "The resource has changed since it was read: its etag differs from the one in If-Match.");
}

Status check_throughput(const Throughput& throughput) {
  const bool is_autoscale = throughput.autoscale_max.has_value();
  const int64_t asked = throughput.planned();
  const int64_t least = is_autoscale ? kAutoscaleMin : kThroughputMin;
  const int64_t step = is_autoscale ? kAutoscaleStep : kThroughputStep;
  if (asked >= least && asked <= kThroughputMax && asked % step == 0) return {};
  return fail(
      ErrorCode::kInvalidInput,
      fmt::format(
          "The offer should have valid throughput values between {} and {} inclusive in increments of {}; {} was asked for.",
          least, kThroughputMax, step, asked));
}

Result<std::unique_ptr<Catalog>> Catalog::open(Store& store, const Clock& clock, EtagSource& etags, RateLimits limits) {
  std::unique_ptr<Catalog> catalog(new Catalog(store, clock, etags, limits));
  TRY(catalog->load());
  return catalog;
}

Status Catalog::load_rows(char kind, const std::function<Status(std::string_view)>& row) {
  const std::string prefix(1, kind);
  Cursor cursor = store_.cursor(Family::kCatalog, prefix, prefix_end(prefix));
  for (cursor.seek_first(); cursor.valid(); cursor.next()) TRY(row(cursor.value()));
  return cursor.status();
}

Status Catalog::load_counters() {
  const std::string prefix = counter_key("");
  Cursor cursor = store_.cursor(Family::kCatalog, prefix, prefix_end(prefix));
  for (cursor.seek_first(); cursor.valid(); cursor.next()) {
    const std::string_view name = cursor.key().substr(prefix.size());
    if (cursor.value().size() != sizeof(uint64_t))
      return fail(ErrorCode::kCorruption, fmt::format("the counter '{}' cannot be decoded", name));
    counters_[std::string(name)] = static_cast<uint32_t>(load_little_endian<uint64_t>(cursor.value().data()));
  }
  return cursor.status();
}

Status Catalog::load() {
  TRY(load_counters());
  TRY(load_rows('d', [this](std::string_view json) -> Status {
    TRY_ASSIGN(Database database, decode_database(json));
    numbers_by_id_[database.id] = database.number;
    databases_[database.number].database = std::make_shared<const Database>(std::move(database));
    return {};
  }));
  TRY(load_rows('o', [this](std::string_view json) -> Status {
    TRY_ASSIGN(Offer offer, decode_offer(json));
    const auto owner = databases_.find(offer.database);
    if (owner == databases_.end()) return fail(ErrorCode::kCorruption, fmt::format("offer {} has no database", offer.number));
    if (offer.container == 0) provision_database(owner->second, offer);
    offers_by_owner_[{offer.database, offer.container}] = offer.number;
    offers_[offer.number] = std::make_shared<const Offer>(std::move(offer));
    return {};
  }));
  TRY(load_rows('c', [this](std::string_view json) -> Status {
    TRY_ASSIGN(ContainerRecord record, decode_container(json));
    const auto owner = databases_.find(record.database);
    if (owner == databases_.end())
      return fail(ErrorCode::kCorruption, fmt::format("container '{}' has no database", record.definition.id));
    std::vector<PartitionPlace> places;
    for (PlaceRecord& place : record.places) {
      TRY_ASSIGN(auto partition, open_partition(place, record.definition));
      places.push_back({std::move(place.range_id), std::move(place.parents), std::move(partition)});
    }
    TRY_ASSIGN(auto container, open_container(owner->second.database, std::move(record.definition), record.number,
                                              std::move(record.revision), std::move(places)));
    container->former = std::move(record.former);
    provision(owner->second, *container, offer_of(record.database, record.number).get());
    publish(owner->second, std::move(container));
    return {};
  }));
  TRY(load_reshapes());
  TRY(load_scripts());
  TRY(load_children());
  TRY(load_erasures());
  return sweep_orphans();
}

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

Revision Catalog::new_revision() const {
  const int64_t now = clock_.unix_seconds();
  return {now, etags_.next(now)};
}

Result<uint32_t> Catalog::next_number(std::string_view counter, WriteBatch& batch) {
  uint32_t& newest = counters_[std::string(counter)];
  if (newest == (counter == kOfferCounter ? kOfferNumberMax : UINT32_MAX >> 1)) {
    return fail(ErrorCode::kUnavailable, fmt::format("This store has used up its {} numbers.", counter));
  }
  const uint32_t number = ++newest;  // a gap after a failed write does no harm
  std::string bytes;
  append_little_endian(bytes, static_cast<uint64_t>(number));
  batch.put(Family::kCatalog, counter_key(counter), bytes);
  return number;
}

Catalog::DatabaseEntry* Catalog::find_entry(std::string_view id_or_rid) {
  const auto by_id = numbers_by_id_.find(id_or_rid);
  const std::optional<uint32_t> number = by_id != numbers_by_id_.end() ? by_id->second : number_in_rid(id_or_rid, 0);
  if (!number) return nullptr;
  const auto entry = databases_.find(*number);
  return entry == databases_.end() ? nullptr : &entry->second;
}

const Catalog::DatabaseEntry* Catalog::find_entry(std::string_view id_or_rid) const {
  return const_cast<Catalog*>(this)->find_entry(id_or_rid);
}

std::shared_ptr<const Container> Catalog::find_container(const DatabaseEntry& entry, std::string_view id_or_rid) {
  const auto by_id = entry.numbers_by_id.find(id_or_rid);
  std::optional<uint32_t> number;
  if (by_id != entry.numbers_by_id.end()) {
    number = by_id->second;
  } else if (const auto in_rid = number_in_rid(id_or_rid, sizeof(uint32_t))) {
    number = *in_rid & ~0x80000000U;
  }
  if (!number) return nullptr;
  const auto container = entry.containers.find(*number);
  if (container == entry.containers.end()) return nullptr;
  const bool is_meant = by_id != entry.numbers_by_id.end() || container->second->rid() == id_or_rid;
  return is_meant ? container->second : nullptr;
}

void Catalog::publish(DatabaseEntry& entry, std::shared_ptr<const Container> container) {
  entry.numbers_by_id[container->definition.id] = container->number;
  container->lineage->set_newest(container);
  entry.containers[container->number] = std::move(container);
}

Result<std::shared_ptr<const Database>> Catalog::database(std::string_view id_or_rid) const {
  std::shared_lock lock(mutex_);
  const DatabaseEntry* entry = find_entry(id_or_rid);
  if (entry == nullptr) return no_database(id_or_rid, ErrorCode::kNotFound);
  return entry->database;
}

Catalog::Databases Catalog::databases() const {
  std::shared_lock lock(mutex_);
  Databases all;
  for (const auto& [number, entry] : databases_) all.push_back(entry.database);
  return all;
}

Result<std::shared_ptr<const Database>> Catalog::create_database(std::string_view id, std::optional<Throughput> throughput) {
  TRY(check_resource_id(id));
  if (throughput) TRY(check_throughput(*throughput));
  std::lock_guard changes(changes_);
  if (numbers_by_id_.contains(id)) return fail(ErrorCode::kAlreadyExists, fmt::format("The database '{}' already exists.", id));
  WriteBatch batch(store_);
  Database database{.number = 0, .id = std::string(id), .revision = new_revision()};
  TRY_ASSIGN(database.number, next_number(kDatabaseCounter, batch));
  batch.put(Family::kCatalog, database_key(database.number), encode_database(database));
  std::shared_ptr<const Offer> offer;
  if (throughput) {
    TRY_ASSIGN(const uint32_t offer_number, next_number(kOfferCounter, batch));
    offer = add_offer(offer_number, database.number, 0, *throughput, batch);
  }
  auto published = std::make_shared<const Database>(std::move(database));
  TRY(commit(batch, [&] {
    numbers_by_id_[published->id] = published->number;
    databases_[published->number].database = published;
    if (offer) provision_database(databases_[published->number], *offer);
    publish(std::move(offer));
  }));
  return published;
}

void Catalog::erase_container_rows(const Container& container, WriteBatch& batch) const {
  for (const PartitionPlace& place : container.places) {
    place.partition->retire();
    place.partition->slice().erase_all(batch);
    if (const std::optional<Partition::Growth> growth = place.partition->growth()) {
      Slice::erase_index(batch, growth->index.id);
    }
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

Status Catalog::delete_database(std::string_view id_or_rid, std::string_view if_match) {
  std::lock_guard changes(changes_);
  DatabaseEntry* entry = find_entry(id_or_rid);
  if (entry == nullptr) return no_database(id_or_rid, ErrorCode::kNotFound);
  TRY(check_etag(if_match, entry->database->revision));
  WriteBatch batch(store_);
  for (const auto& [number, container] : entry->containers) erase_container_rows(*container, batch);
  const uint32_t database = entry->database->number;
  batch.erase(Family::kCatalog, database_key(database));
  if (const auto offer = offers_by_owner_.find({database, 0}); offer != offers_by_owner_.end()) {
    batch.erase(Family::kCatalog, offer_key(offer->second));
  }
  const std::string children = child_key_prefix(database);
  batch.erase_range(Family::kCatalog, children, prefix_end(children));
  Containers deleted;
  for (const auto& [number, container] : entry->containers) deleted.push_back(container);
  return commit_deletion(batch, deleted, [&] {
    const auto first = offers_by_owner_.lower_bound({database, 0});
    const auto last = offers_by_owner_.upper_bound({database, UINT32_MAX});
    for (auto offer = first; offer != last; ++offer) offers_.erase(offer->second);
    offers_by_owner_.erase(first, last);
    for (const auto& [number, container] : entry->containers) scripts_.erase(number);
    children_.erase_database(database);
    numbers_by_id_.erase(numbers_by_id_.find(entry->database->id));
    databases_.erase(database);
  });
}

Result<std::shared_ptr<const Container>> Catalog::container(std::string_view database, std::string_view id_or_rid) const {
  std::shared_lock lock(mutex_);
  const DatabaseEntry* entry = find_entry(database);
  if (entry == nullptr) return no_database(database, ErrorCode::kOwnerNotFound);
  std::shared_ptr<const Container> container = find_container(*entry, id_or_rid);
  if (!container) return no_container(id_or_rid);
  return container;
}

Result<Catalog::Containers> Catalog::containers(std::string_view database) const {
  std::shared_lock lock(mutex_);
  const DatabaseEntry* entry = find_entry(database);
  if (entry == nullptr) return no_database(database, ErrorCode::kOwnerNotFound);
  Containers all;
  for (const auto& [number, container] : entry->containers) all.push_back(container);
  return all;
}

std::shared_ptr<const Offer> Catalog::add_offer(uint32_t number, uint32_t database, uint32_t container,
                                                const Throughput& throughput, WriteBatch& batch) const {
  auto offer = std::make_shared<Offer>(Offer{.number = number,
                                             .database = database,
                                             .container = container,
                                             .throughput = throughput,
                                             .provisioned_max_ever = throughput.planned(),
                                             .revision = new_revision()});
  batch.put(Family::kCatalog, offer_key(number), encode_offer(*offer));
  return offer;
}

void Catalog::publish(std::shared_ptr<const Offer> offer) {
  if (!offer) return;
  offers_by_owner_[{offer->database, offer->container}] = offer->number;
  const uint32_t number = offer->number;
  offers_[number] = std::move(offer);
}

Result<std::vector<PartitionPlace>> Catalog::make_places(const ContainerDefinition& definition, size_t count, WriteBatch& batch) {
  std::vector<PartitionPlace> places;
  for (EffectiveKeyRange& range : even_ranges(count, definition.partition_key)) {
    TRY_ASSIGN(const uint32_t number, next_number(kPartitionCounter, batch));
    TRY_ASSIGN(const uint32_t index, next_number(kIndexCounter, batch));
    TRY_ASSIGN(auto partition, Partition::open(store_, clock_, PartitionId{number}, std::move(range),
                                               {IndexId{index}, definition.indexing}, definition.rules));
    places.push_back({std::to_string(places.size()), {}, std::move(partition)});
  }
  return places;
}

Result<std::shared_ptr<const Container>> Catalog::create_container(std::string_view database, ContainerDefinition definition,
                                                                   std::optional<Throughput> throughput) {
  TRY(check_resource_id(definition.id));
  if (throughput) TRY(check_throughput(*throughput));
  std::lock_guard changes(changes_);
  DatabaseEntry* entry = find_entry(database);
  if (entry == nullptr) return no_database(database, ErrorCode::kOwnerNotFound);
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
  provision(*entry, *container, offer.get());
  TRY(commit(batch, [&] {
    publish(*entry, container);
    publish(std::move(offer));
  }));
  return container;
}

Result<std::shared_ptr<const Container>> Catalog::replace_container(std::string_view database, std::string_view id_or_rid,
                                                                    ContainerDefinition definition, std::string_view if_match) {
  std::lock_guard changes(changes_);
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
  if (definition.rules->unique_keys != before->definition.rules->unique_keys) {
    return fail(ErrorCode::kInvalidInput, "The unique key policy of a container cannot be changed.");
  }
  auto after = std::make_shared<Container>(*before);
  after->definition = std::move(definition);
  after->revision = new_revision();
  WriteBatch batch(store_);
  IndexChange change;
  if (equal(after->definition.indexing->definition(), before->definition.indexing->definition())) {
    after->definition.indexing = before->definition.indexing;
  } else {
    TRY_ASSIGN(const std::vector<Partition::Index> news, name_new_indexes(*after));
    for (size_t i = 0; i < news.size(); ++i) change.grow(after->places[i].partition, news[i], batch);
  }
  batch.put(Family::kCatalog, container_key(after->database->number, after->number), encode_container(*after));
  Status outcome = commit(batch, [&] {
    publish(*entry, after);
    for (const PartitionPlace& place : after->places) place.partition->set_rules(after->definition.rules);
    change.keep();
  });
  if (change.is_kept() && indexes_grow_) indexes_grow_();
  TRY(std::move(outcome));
  return after;
}

Status Catalog::commit(WriteBatch& batch, const std::function<void()>& publish) {
  TRY_ASSIGN(const CommitTicket ticket, store_.apply(batch));
  Status durable = store_.wait_durable(ticket);
  std::unique_lock lock(mutex_);
  publish();
  return durable;
}

Status Catalog::commit_deletion(WriteBatch& batch, const Containers& deleted, const std::function<void()>& publish) {
  bool is_published = false;
  Status outcome = commit(batch, [&] {
    publish();
    is_published = true;
  });
  if (!is_published) {
    for (const std::shared_ptr<const Container>& container : deleted) {
      for (const PartitionPlace& place : container->places) place.partition->reinstate();
    }
  }
  return outcome;
}

// Rows of partitions and index generations that no container names: left over when the server was killed while it built an index
// or reshaped a container.
Status Catalog::sweep_orphans() {
  std::set<uint32_t> partitions;
  std::set<uint32_t> indexes;
  for (const auto& [number, entry] : databases_) {
    for (const auto& [container_number, container] : entry.containers) {
      for (const PartitionPlace& place : container->places) {
        partitions.insert(place.partition->id().value);
        indexes.insert(place.partition->index().id.value);
        if (const std::optional<Partition::Growth> growth = place.partition->growth()) indexes.insert(growth->index.id.value);
      }
    }
  }
  WriteBatch batch(store_);
  for (Family family : kFamilies) {
    if (family == Family::kCatalog) continue;
    const std::set<uint32_t>& known = family == Family::kIndex ? indexes : partitions;
    Cursor cursor = store_.cursor(family, "", std::string(sizeof(uint32_t), '\xFF'));
    cursor.seek_first();
    while (cursor.valid()) {
      const std::string prefix(cursor.key().substr(0, sizeof(uint32_t)));
      const std::string end = prefix_end(prefix);
      if (!known.contains(load_big_endian<uint32_t>(prefix.data()))) batch.erase_range(family, prefix, end);
      cursor.seek(end);
    }
    TRY(cursor.status());
  }
  for (const auto& [kind, known] : {std::pair("p", &partitions), std::pair("h", &partitions), std::pair("g", &indexes)}) {
    Cursor rows = store_.cursor(Family::kCatalog, kind, prefix_end(kind));
    for (rows.seek_first(); rows.valid(); rows.next()) {
      if (!known->contains(load_big_endian<uint32_t>(rows.key().data() + 1))) batch.erase(Family::kCatalog, rows.key());
    }
    TRY(rows.status());
  }
  TRY(store_.apply(batch));
  return {};
}

Status Catalog::check_is_current(const Container& container) const {
  const auto database = databases_.find(container.database->number);
  if (database != databases_.end() && database->second.containers.contains(container.number)) return {};
  return no_container(container.definition.id, ErrorCode::kOwnerNotFound);
}

// Keeps the number of the script that it replaces.
Result<ScriptPtr> Catalog::put_script(std::shared_ptr<ScriptResource> script, const ScriptPtr& before) {
  WriteBatch batch(store_);
  script->revision = new_revision();
  if (before) {
    script->number = before->number;
  } else {
    TRY_ASSIGN(script->number, next_number(kScriptCounter, batch));
  }
  batch.put(Family::kCatalog, script_key(*script), encode_script(*script));
  TRY(commit(batch, [&] {
    ScriptShelf& shelf = scripts_[script->container];
    if (before) shelf.erase({before->type, before->definition.id});
    shelf[{script->type, script->definition.id}] = script;
  }));
  return script;
}

Status Catalog::delete_container(std::string_view database, std::string_view id_or_rid, std::string_view if_match) {
  std::lock_guard changes(changes_);
  DatabaseEntry* entry = find_entry(database);
  if (entry == nullptr) return no_database(database, ErrorCode::kOwnerNotFound);
  const std::shared_ptr<const Container> container = find_container(*entry, id_or_rid);
  if (!container) return no_container(id_or_rid);
  TRY(check_etag(if_match, container->revision));
  WriteBatch batch(store_);
  erase_container_rows(*container, batch);
  return commit_deletion(batch, {container}, [&] {
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

std::vector<std::shared_ptr<const Offer>> Catalog::offers() const {
  std::shared_lock lock(mutex_);
  std::vector<std::shared_ptr<const Offer>> all;
  for (const auto& [number, offer] : offers_) all.push_back(offer);
  return all;
}

Result<std::shared_ptr<const Offer>> Catalog::offer(std::string_view rid) const {
  std::shared_lock lock(mutex_);
  for (const auto& [number, offer] : offers_) {
    if (offer->rid() == rid) return offer;
  }
  return fail(ErrorCode::kNotFound, fmt::format("The offer '{}' does not exist.", rid));
}

std::shared_ptr<const Offer> Catalog::offer_of(uint32_t database, uint32_t container) const {
  std::shared_lock lock(mutex_);
  const auto number = offers_by_owner_.find({database, container});
  return number == offers_by_owner_.end() ? nullptr : offers_.at(number->second);
}

Result<std::shared_ptr<const Offer>> Catalog::replace_offer(std::string_view rid, const Throughput& throughput,
                                                            std::string_view if_match) {
  TRY(check_throughput(throughput));
  std::lock_guard changes(changes_);
  TRY_ASSIGN(const std::shared_ptr<const Offer> before, offer(rid));
  TRY(check_etag(if_match, before->revision));
  if (before->container != 0) {
    const Container& container = *databases_.at(before->database).containers.at(before->container);
    TRY(check_can_be_spread(container.definition, throughput));
  }
  auto after = std::make_shared<Offer>(*before);
  after->throughput = throughput;
  after->provisioned_max_ever = std::max(after->provisioned_max_ever, throughput.planned());
  after->revision = new_revision();
  WriteBatch batch(store_);
  batch.put(Family::kCatalog, offer_key(after->number), encode_offer(*after));
  TRY(commit(batch, [&] { publish(after); }));
  DatabaseEntry& entry = databases_.at(after->database);
  if (after->container == 0) {
    provision_database(entry, *after);
  } else {
    provision(entry, *entry.containers.at(after->container), after.get());
  }
  return after;
}

Catalog::Containers Catalog::containers_of(const Offer& offer) const {
  std::shared_lock lock(mutex_);
  Containers all;
  const auto entry = databases_.find(offer.database);
  if (entry == databases_.end()) return all;
  for (const auto& [number, container] : entry->second.containers) {
    const bool is_own = offers_by_owner_.contains({offer.database, number});
    if (offer.container == 0 ? !is_own : number == offer.container) all.push_back(container);
  }
  return all;
}

void Catalog::provision(DatabaseEntry& entry, const Container& container, const Offer* own_offer) const {
  const auto partitions = static_cast<double>(container.places.size());
  for (const PartitionPlace& place : container.places) {
    Meter& meter = place.partition->meter();
    if (own_offer == nullptr && entry.shared_budget) {
      if (!meter.shares_budget()) meter.share_budget(entry.shared_budget);
    } else if (own_offer != nullptr && limits_.is_enforced) {
      const double share = static_cast<double>(own_offer->throughput.planned()) / partitions;
      meter.budget().set_rate(std::min(share, static_cast<double>(kThroughputPerPartition)));
      meter.budget().allow_bursts(limits_.allows_bursts);
    }
  }
}

// The containers that share a database's throughput draw from one budget.
void Catalog::provision_database(DatabaseEntry& entry, const Offer& offer) const {
  if (!entry.shared_budget) entry.shared_budget = std::make_shared<RequestBudget>(clock_.steady_us());
  if (!limits_.is_enforced) return;
  entry.shared_budget->set_rate(static_cast<double>(offer.throughput.planned()));
  entry.shared_budget->allow_bursts(limits_.allows_bursts);
}

void Catalog::reset_budgets() {
  std::shared_lock lock(mutex_);
  for (const auto& [number, entry] : databases_) {
    for (const auto& [container_number, container] : entry.containers) {
      for (const PartitionPlace& place : container->places) place.partition->meter().reset_budget();
    }
  }
}

}  // namespace partita
