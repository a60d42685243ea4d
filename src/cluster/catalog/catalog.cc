#include "cluster/catalog/catalog.h"

#include "base/prefix_end.h"
#include "cluster/catalog/orphans.h"
#include "cluster/records/records.h"

#include <fmt/format.h>

// Databases, and how the catalog is read when the server starts.
namespace partita {
namespace {

constexpr std::string_view kDatabaseCounter = "database";

}  // namespace

Result<std::unique_ptr<Catalog>> Catalog::open(Store& store, const Clock& clock, EtagSource& etags, RateLimits limits) {
  std::unique_ptr<Catalog> catalog(new Catalog(store, clock, etags, limits));
  TRY(catalog->load());
  return catalog;
}

Status Catalog::load() {
  TRY(changes_.load_counters());
  TRY(changes_.for_each_record('d', [this](std::string_view json) -> Status {
    TRY_ASSIGN(Database database, decode_database(json));
    TRY_ASSIGN(database.loan, changes_.memory().take(database.number, kResourceMemoryBytes, FairMemory::Claim::kAlways));
    map_.put(std::make_shared<const Database>(std::move(database)));
    return {};
  }));
  TRY(offers_.load());
  TRY(changes_.for_each_record('c', [this](std::string_view json) -> Status {
    TRY_ASSIGN(ContainerRecord record, decode_container(json));
    return load_container(std::move(record));
  }));
  TRY(reshapes_.load());
  TRY(scripts_.load());
  TRY(children_.load());
  TRY(erasures_.load());
  if (changes_.store().is_read_only()) return {};
  TRY(sweep_orphans(changes_.store(), map_));
  return numbers_.extend();
}

Result<std::shared_ptr<const Database>> Catalog::database(std::string_view id_or_rid) const {
  const auto lock = changes_.reading();
  const CatalogMap::Entry* entry = map_.find(id_or_rid);
  if (entry == nullptr) return no_database(id_or_rid, ErrorCode::kNotFound);
  return entry->database;
}

Catalog::Databases Catalog::databases() const {
  const auto lock = changes_.reading();
  return map_.databases();
}

Result<std::shared_ptr<const Database>> Catalog::create_database(std::string_view id, std::optional<Throughput> throughput) {
  TRY(check_resource_id(id));
  if (is_like_database_rid(id)) return id_is_rid(id);
  if (throughput) TRY(check_throughput(*throughput));
  if (throughput) TRY(check_can_be_shared(*throughput));
  TRY_ASSIGN(const auto changes, changes_.begin());
  if (map_.has_id(id)) return fail(ErrorCode::kAlreadyExists, fmt::format("The database '{}' already exists.", id));
  WriteBatch batch(changes_.store());
  Database database{.number = 0, .id = std::string(id), .revision = changes_.new_revision()};
  TRY_ASSIGN(database.number, changes_.next_number(kDatabaseCounter, batch));
  TRY_ASSIGN(database.loan, changes_.memory().take(database.number, kResourceMemoryBytes));
  batch.put(Family::kCatalog, database_key(database.number), encode_database(database));
  std::shared_ptr<const Offer> offer;
  if (throughput) {
    TRY_ASSIGN(offer, offers_.add(database.number, 0, *throughput, batch));
  }
  auto published = std::make_shared<const Database>(std::move(database));
  TRY(changes_.commit(batch, [this, published, offer] {
    map_.put(published);
    if (offer) offers_.provision_database(*offer);
    offers_.put(offer);
  }));
  return published;
}

Status Catalog::delete_database(std::string_view id_or_rid, std::string_view if_match) {
  TRY_ASSIGN(const auto changes, changes_.begin());
  const CatalogMap::Entry* entry = map_.find(id_or_rid);
  if (entry == nullptr) return no_database(id_or_rid, ErrorCode::kNotFound);
  const std::shared_ptr<const Database> database = entry->database;
  TRY(check_etag(if_match, database->revision));
  const Containers deleted = entry->list();
  WriteBatch batch(changes_.store());
  for (const std::shared_ptr<const Container>& container : deleted) erase_container(*container, batch);
  batch.erase(Family::kCatalog, database_key(database->number));
  offers_.erase(database->number, 0, batch);
  const std::string children = child_key_prefix(database->number);
  batch.erase_range(Family::kCatalog, children, prefix_end(children));
  return commit_deletion(batch, deleted, [this, database, deleted] {
    for (const std::shared_ptr<const Container>& container : deleted) forget_container(*container);
    offers_.forget_database(database->number);
    children_.forget(*database);
    map_.erase(*database);
  });
}

// Partitions of a deletion that was refused take writes again.
Status Catalog::commit_deletion(WriteBatch& batch, const Containers& deleted, std::function<void()> publish) {
  bool is_taken = false;
  DroppedRows dropped;
  for (const std::shared_ptr<const Container>& container : deleted) {
    for (const PartitionPlace& place : container->places) {
      const Partition& partition = place.partition->local();
      dropped.add(partition.slice());
      if (const auto growth = partition.growth()) dropped.add_index(partition.slice().store(), growth->index.id);
    }
  }
  Status outcome = changes_.commit(batch, std::move(publish), [&] { is_taken = true; }, std::move(dropped));
  if (!is_taken) {
    for (const std::shared_ptr<const Container>& container : deleted) {
      for (const PartitionPlace& place : container->places) place.partition->local().reinstate();
    }
  }
  return outcome;
}

}  // namespace partita
