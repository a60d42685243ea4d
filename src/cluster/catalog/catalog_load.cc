#include "base/bytes.h"
#include "base/prefix_end.h"
#include "cluster/catalog/catalog.h"
#include "cluster/records/records.h"

#include <fmt/format.h>

#include <functional>
#include <set>

// How the catalog is read when the server starts.
namespace partita {

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
    const auto number = database.number;
    numbers_by_id_[database.id] = number;
    databases_[number].database = std::make_shared<const Database>(std::move(database));
    return {};
  }));
  TRY(load_rows('o', [this](std::string_view json) -> Status {
    TRY_ASSIGN(Offer offer, decode_offer(json));
    const auto owner = databases_.find(offer.database);
    if (owner == databases_.end()) return fail(ErrorCode::kCorruption, fmt::format("offer {} has no database", offer.number));
    if (offer.container == 0) provision_database(owner->second, offer);
    const auto number = offer.number;
    offers_by_owner_[{offer.database, offer.container}] = number;
    offers_[number] = std::make_shared<const Offer>(std::move(offer));
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
      places.push_back(
          {std::move(place.range_id), std::move(place.parents), std::make_shared<const PartitionClient>(std::move(partition))});
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

// Rows of partitions and index generations that no container names: left over when the server was killed while it built an index
// or reshaped a container.
Status Catalog::sweep_orphans() {
  if (store_.is_read_only()) return {};
  std::set<uint32_t> partitions;
  std::set<uint32_t> indexes;
  std::set<uint32_t> growing;
  for (const auto& [number, entry] : databases_) {
    for (const auto& [container_number, container] : entry.containers) {
      for (const PartitionPlace& place : container->places) {
        partitions.insert(place.partition->id().value);
        indexes.insert(place.partition->local().index().id.value);
        if (const std::optional<Partition::Growth> growth = place.partition->local().growth()) {
          indexes.insert(growth->index.id.value);
          growing.insert(growth->index.id.value);
        }
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
  for (const auto& [kind, known] : {std::pair("p", &partitions), std::pair("h", &partitions), std::pair("g", &growing)}) {
    Cursor rows = store_.cursor(Family::kCatalog, kind, prefix_end(kind));
    for (rows.seek_first(); rows.valid(); rows.next()) {
      if (!known->contains(load_big_endian<uint32_t>(rows.key().data() + 1))) batch.erase(Family::kCatalog, rows.key());
    }
    TRY(rows.status());
  }
  TRY(store_.apply(batch));
  return {};
}

}  // namespace partita
